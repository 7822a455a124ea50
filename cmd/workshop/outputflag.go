package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

// format is the value of a command's -o flag.
type format string

const (
	formatText format = "text"
	formatJSON format = "json"
)

func (f *format) String() string { return string(*f) }
func (f *format) Type() string   { return "text|json" }

func (f *format) Set(value string) error {
	switch format(value) {
	case formatText, formatJSON:
		*f = format(value)
		return nil
	}
	return fmt.Errorf("want text or json, not %q", value)
}

// outputFlag gives cmd the flag -o.
func outputFlag(cmd *cobra.Command) *format {
	f := formatText
	cmd.Flags().VarP(&f, "output", "o", "how to print the result; field names in json are stable")
	return &f
}

// json prints v for programs.
func (s *screen) json(v any) error {
	enc := json.NewEncoder(s)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return nil
}
