package learner

import (
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff is a unified diff from one state of a chapter's files to another, with
// three lines of context, one part per file that differs, in the order of the
// names. The labels stand before the file's name, for example "yours" and
// "solution". It is empty when there is no difference.
func Diff(fromLabel, toLabel string, from, to Files) string {
	var b strings.Builder
	all := Files{}
	for name := range from {
		all[name] = nil
	}
	for name := range to {
		all[name] = nil
	}
	for _, name := range all.Names() {
		b.WriteString(udiff.Unified(path.Join(fromLabel, name), path.Join(toLabel, name), string(from[name]), string(to[name])))
	}
	return b.String()
}
