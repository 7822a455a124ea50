package portability

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheModulesAreRightForOtherSystems(t *testing.T) {
	for _, module := range []string{".", "cmd/controlplane", "cmd/benchcontroller"} {
		for _, goos := range []string{"darwin", "windows"} {
			t.Run(module+" "+goos, func(t *testing.T) {
				faults, err := typeCheck(t.Context(), filepath.Join("../..", module), goos)
				require.NoError(t, err)
				assert.Empty(t, faults)
			})
		}
	}
}

func TestTypeCheckFindsWhatOneSystemLacks(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.26\n",
		"main.go":      "package main\n\nimport \"syscall\"\n\nfunc main() { _ = syscall.Kill(1, 0) }\n",
		"unix_test.go": "package main\n\nimport (\n\t\"syscall\"\n\t\"testing\"\n)\n\nfunc TestX(*testing.T) { _ = syscall.Flock(0, 0) }\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	t.Setenv("GOWORK", "off")
	faults, err := typeCheck(t.Context(), dir, "darwin")
	require.NoError(t, err)
	assert.Empty(t, faults)

	faults, err = typeCheck(t.Context(), dir, "windows")
	require.NoError(t, err)
	var all string
	for _, fault := range faults {
		all += fault.Error() + "\n"
	}
	assert.Contains(t, all, "main.go:5:")
	assert.Contains(t, all, "undefined: syscall.Kill")
	assert.Contains(t, all, "unix_test.go:8:", "tests are read, too")
}
