//go:build gc && !purego && !noasm

package sha1dc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sha1dc/go/internal/dvs"
)

// The self-test must name a damaged kernel for many messages.
func TestSelfTestFindsDamageInMany(t *testing.T) {
	blocks := newManyBlocks()
	type faults map[string]func(s *manySubject)
	// after returns a kernel that adds blocks as it should, and does harm then.
	after := func(harm func(a *manyArea, group int)) func(s *manySubject) {
		return func(s *manySubject) {
			add := s.add
			s.add = func(p *part, a *manyArea, group, from, n, more, groups int) int {
				done := add(p, a, group, from, n, more, groups)
				harm(a, group)
				return done
			}
		}
	}
	// inSlot returns one that harms the first slot.
	inSlot := func(offset int) func(s *manySubject) {
		return after(func(a *manyArea, _ int) {
			if a.used > 0 {
				a.slot(0)[offset] ^= 1
			}
		})
	}
	for b := range generic {
		k, ok := b.manyKernel()
		if !ok || !b.runs(host) {
			continue
		}
		sound := k.subject("sound")
		if err := sound.test(blocks); err != nil {
			t.Fatal(err)
		}
		all := faults{
			"value":   after(func(a *manyArea, group int) { a.value[group][4][k.lanes-1]++ }),
			"owner":   after(func(a *manyArea, _ int) { a.owner[0] ^= 1 }),
			"no slot": after(func(a *manyArea, _ int) { a.used = 0 }),
			"word":    inSlot(manySlotW + 4*17),
			"state":   inSlot(manySlotState + 4*7),
			"mask":    inSlot(manySlotMask),
			"out":     inSlot(manySlotOut + 8),
			"E":       inSlot(manySlotOutE),
			"idle": func(s *manySubject) {
				add := s.add
				s.add = func(p *part, a *manyArea, group, from, n, more, groups int) int {
					old := a.idle
					a.idle = [manyMaxLanes]uint32{}
					defer func() { a.idle = old }()
					return add(p, a, group, from, n, more, groups)
				}
			},
			"nothing done": func(s *manySubject) {
				s.add = func(*part, *manyArea, int, int, int, int, int) int { return 0 }
			},
			"too much done": func(s *manySubject) {
				add := s.add
				s.add = func(p *part, a *manyArea, group, from, n, more, groups int) int {
					return add(p, a, group, from, n, more, groups) + 1
				}
			},
			"same": func(s *manySubject) {
				same := s.addSame
				s.addSame = func(sums *[steps]uint32, a *manyArea, group int) {
					same(sums, a, group)
					a.value[group][0][k.lanes-1] ^= 1
				}
			},
			"never attacked":  func(s *manySubject) { s.attacked = func(*manyArea, int, int) bool { return false } },
			"always attacked": func(s *manySubject) { s.attacked = func(*manyArea, int, int) bool { return true } },
		}
		for dv, d := range dvs.All() {
			all[fmt.Sprintf("filter dismisses %v in one lane", d)] = after(func(a *manyArea, _ int) {
				for n := range int(a.used) {
					if a.owner[n]%manyMaxLanes == uint32(dv%k.lanes) && a.slot(n).word(manySlotMask) == 1<<dv {
						a.used--
						a.owner[n] = a.owner[a.used]
						copy(a.slot(n)[:manySlotSize], a.slot(int(a.used)))
						out := a.slot(int(a.used)).out()
						a.slot(n).setOut(&out)
						return
					}
				}
			})
			all[fmt.Sprintf("recheck refuses %v", d)] = func(s *manySubject) {
				attacked := s.attacked
				s.attacked = func(a *manyArea, first, n int) bool {
					if n == 1 && a.slot(first).word(manySlotMask) == 1<<dv {
						return false
					}
					return attacked(a, first, n)
				}
			}
		}
		for name, harm := range all {
			s := k.subject("damaged")
			harm(&s)
			want := fmt.Sprintf("self-test: backend damaged: kernel for %d messages: ", k.lanes)
			if err := s.test(blocks); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
}
