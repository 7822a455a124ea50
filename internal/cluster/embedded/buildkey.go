package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// buildKey names one build: it changes with the sources, with the arguments
// and with the part of the environment that decides about the result.
func buildKey(source string, env goEnv, args []string) (string, error) {
	env.GOMODCACHE = "" // where modules are does not change what is built
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(struct {
		Env  goEnv
		Args []string
	}{env, args}); err != nil {
		return "", err
	}
	if err := hashSources(h, source); err != nil {
		return "", fmt.Errorf("read the sources in %s: %w", source, err)
	}
	return hex.EncodeToString(h.Sum(nil))[:20], nil
}

// hashSources feeds every file of a module that can end up in its program. It
// takes more than .go files, since a source may embed others.
func hashSources(h io.Writer, source string) error {
	if _, err := os.Stat(filepath.Join(source, "go.mod")); err != nil {
		return err
	}
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == source {
			return nil
		}
		if skipped(entry.Name()) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return hashFile(h, source, path)
	})
}

// skipped reports whether a file or directory has no part in a build.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "testdata" ||
		strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".md")
}

func hashFile(h io.Writer, source, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(source, path)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(h, "%q %d\n%s", filepath.ToSlash(rel), len(data), data)
	return err
}

// buildFlags returns the arguments in the module's buildflags.txt: one a line,
// `#` begins a comment line. Without that file there are none.
func buildFlags(source string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(source, "buildflags.txt"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var flags []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			flags = append(flags, line)
		}
	}
	return flags, nil
}
