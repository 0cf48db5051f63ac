package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// instruction is a line of a disassembly.
type instruction struct {
	address, text string
	target        string // of a jump, or empty
}

// loop is the body of an innermost loop, without the jump that closes it.
type loop struct {
	function string
	blocks   int // chains of twenty groups of four steps in it: one, or two with a recheck or another message
	body     []string
}

var (
	functionLine    = regexp.MustCompile(`^[0-9a-f]+ <(.+)>:$`)
	instructionLine = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S.*)$`)
	jump            = regexp.MustCompile(`^(?:j[a-z]+|b|b\.[a-z]+|cbn?z|tbn?z)\s+(?:.*,\s*)?0x([0-9a-f]+)\b`)
	fourSteps       = regexp.MustCompile(`^(sha1[cpm]|sha1rnds4)\s`)
)

// loops returns the innermost loops of a disassembly that compress blocks.
func loops(disassembly string) ([]loop, error) {
	var (
		out      []loop
		function string
		list     []instruction
	)
	finish := func() error {
		found, err := innermost(function, list)
		out, list = append(out, found...), nil
		return err
	}
	for line := range strings.SplitSeq(disassembly, "\n") {
		if m := functionLine.FindStringSubmatch(line); m != nil {
			if err := finish(); err != nil {
				return nil, err
			}
			function = m[1]
			continue
		}
		m := instructionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		i := instruction{address: m[1], text: strings.ReplaceAll(m[2], "\t", " ")}
		if target := jump.FindStringSubmatch(i.text); target != nil {
			i.target = target[1]
		}
		list = append(list, i)
	}
	return out, finish()
}

// innermost returns the loops of a function that have whole blocks of steps in
// them and no other loop.
func innermost(function string, list []instruction) ([]loop, error) {
	var out []loop
	from := -1
	for end, i := range list {
		if i.target == "" {
			continue
		}
		start := slices.IndexFunc(list[:end], func(j instruction) bool { return j.address == i.target })
		if start < 0 || start <= from {
			continue // forward, or around a loop
		}
		from = start
		l := loop{function: function}
		steps := 0
		for _, i := range list[start:end] {
			if fourSteps.MatchString(i.text) {
				steps++
			}
			if i.target == "" {
				l.body = append(l.body, i.text)
			}
		}
		if steps == 0 {
			continue
		}
		if steps%20 != 0 {
			return nil, fmt.Errorf("%s: the loop at %s has %d times four steps, not whole blocks", function, i.target, steps)
		}
		l.blocks = steps / 20
		out = append(out, l)
	}
	return out, nil
}
