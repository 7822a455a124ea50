package learner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadHints(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"right":        {"A: [one, two, three]\nB: [one, two, three]\n", ""},
		"missing step": {"A: [one, two, three]\n", "step B has no hints"},
		"two rungs":    {"A: [one, two]\nB: [one, two, three]\n", "step A has 2 hints, not 3"},
		"empty rung":   {"A: [one, two, ' ']\nB: [one, two, three]\n", "hint 3 of step A is empty"},
		"no step":      {"A: [one, two, three]\nB: [one, two, three]\nC: [one, two, three]\n", "C is no step"},
		"twice":        {"A: [one, two, three]\nA: [one, two, three]\n", "decode"},
		"not a list":   {"A: x\n", "decode"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, HintsFile), []byte(tc.text), 0o644))
			h, err := ReadHints(dir, []string{"A", "B"})
			if tc.want == "" {
				require.NoError(t, err)
				require.Equal(t, []string{"one", "two", "three"}, h["A"])
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
	_, err := ReadHints(t.TempDir(), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}
