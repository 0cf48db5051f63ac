package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"github.com/sha1dc/go/forensics"
	"github.com/sha1dc/go/internal/cli"
)

// The types that follow are what docs/explain.schema.json describes. Fields are
// added without a new version; a change of what is there needs one.

const jsonVersion = 1

type jsonFile struct {
	Version      int    `json:"version"`
	File         string `json:"file"`
	FileHex      string `json:"file_hex,omitempty"` // if the name is not UTF-8
	Error        string `json:"error,omitempty"`
	*jsonContent        // nil if nothing is known
}

type jsonContent struct {
	Size         int64        `json:"size"`
	Type         string       `json:"type,omitempty"`
	SHA1         string       `json:"sha1"`
	Mitigated    string       `json:"mitigated"`
	Window       int          `json:"window"`
	ReducedRound bool         `json:"reduced_round"`
	Attacks      []jsonAttack `json:"attacks"`
	Omitted      int          `json:"omitted_attacks"`
}

type jsonAttack struct {
	Kind           string      `json:"kind"`
	End            string      `json:"walk_end"`
	Known          string      `json:"known_as,omitempty"`
	Complete       bool        `json:"other_file_complete"`
	InPadding      bool        `json:"in_padding"`
	Offset         int64       `json:"offset"`
	Length         int         `json:"length"`
	Flagged        int64       `json:"flagged_offset"`
	DifferingBytes int         `json:"differing_bytes"`
	Preceding      string      `json:"preceding"`
	Blocks         []jsonBlock `json:"blocks"`
}

type jsonBlock struct {
	Offset         int64    `json:"offset"`
	DV             string   `json:"disturbance_vector"`
	DifferingBits  int      `json:"differing_bits"`
	DifferingBytes int      `json:"differing_bytes"`
	This           jsonSide `json:"this"`
	Other          jsonSide `json:"other"`
}

type jsonSide struct {
	Data   string `json:"data"`
	Before string `json:"chaining_value_before"`
	After  string `json:"chaining_value_after"`
}

// jsonReport returns the report on a file as a line of JSON.
func jsonReport(s *subject) []byte {
	r := s.report
	c := &jsonContent{
		Size: r.Size, Type: s.typ,
		SHA1: hex.EncodeToString(r.Plain[:]), Mitigated: hex.EncodeToString(r.Mitigated[:]),
		Window: r.Options.Window, ReducedRound: r.Options.ReducedRounds,
		Attacks: make([]jsonAttack, 0, len(r.Attacks)), Omitted: r.Omitted,
	}
	for n := range r.Attacks {
		c.Attacks = append(c.Attacks, toJSON(&r.Attacks[n]))
	}
	return jsonLine(s.name, s.err, c)
}

func toJSON(a *forensics.Attack) jsonAttack {
	out := jsonAttack{
		Kind: a.Kind().String(), End: a.End.String(), Known: a.Known(), Complete: a.Complete(), InPadding: a.Padded,
		Offset: a.Offset(), Length: a.Length(), Flagged: a.Flagged().Offset, DifferingBytes: a.DifferingBytes(),
		Preceding: hex.EncodeToString(a.Preceding),
	}
	for n := range a.Blocks {
		b := &a.Blocks[n]
		out.Blocks = append(out.Blocks, jsonBlock{
			Offset: b.Offset, DV: b.DV.String(), DifferingBits: b.DifferingBits(), DifferingBytes: b.DifferingBytes(),
			This:  jsonSide{hex.EncodeToString(b.Data[:]), b.In.String(), b.Out.String()},
			Other: jsonSide{hex.EncodeToString(b.Twin[:]), b.TwinIn.String(), b.TwinOut.String()},
		})
	}
	return out
}

// jsonError returns the line for a file that was not analyzed.
func jsonError(name string, err error) []byte { return jsonLine(name, err, nil) }

func jsonLine(name string, err error, c *jsonContent) []byte {
	f := jsonFile{Version: jsonVersion, File: name, jsonContent: c}
	if !utf8.ValidString(name) {
		f.FileHex = hex.EncodeToString([]byte(name))
	}
	if err != nil {
		f.Error = cli.Reason(err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		panic(err) // nothing in it can fail
	}
	return b.Bytes()
}
