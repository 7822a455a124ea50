package course

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/client-go-workshop/internal/gosource"
)

// FactNames returns the names of the tests TestFact… in the chapter's test files
// facts_test.go and facts_…_test.go, sorted; none when there is no such file.
func FactNames(ch Chapter) ([]string, error) {
	return testNames(ch, "facts", "TestFact")
}

// CheckNames returns the names of the tests TestStep… in the chapter's test files
// check_test.go and check_…_test.go, sorted; none when there is no such file.
func CheckNames(ch Chapter) ([]string, error) {
	return testNames(ch, "check", "TestStep")
}

// testNames are the tests whose names begin with prefix, in the course's test
// files whose names begin with stem.
func testNames(ch Chapter, stem, prefix string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(ch.Dir, stem+"*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("list tests: %w", err)
	}
	var names []string
	for _, file := range files {
		if !IsCourseTest(filepath.Base(file)) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("list tests: %w", err)
		}
		s, err := gosource.Parse(file, text)
		if err != nil {
			return nil, fmt.Errorf("list tests: %w", err)
		}
		for _, decl := range s.File.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, prefix) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// GuideFile is the path of the chapter's guide: README.md for "" and "en",
// README.LANG.md for another language, such as zh-CN.
func GuideFile(ch Chapter, lang string) string {
	if lang == "" || lang == "en" {
		return filepath.Join(ch.Dir, "README.md")
	}
	return filepath.Join(ch.Dir, "README."+lang+".md")
}

var factName = regexp.MustCompile(`\bTestFact[A-Za-z0-9_]*`)

// GuideFacts returns the names TestFact… that the chapter's guide mentions,
// sorted and each once.
func GuideFacts(ch Chapter, lang string) ([]string, error) {
	text, err := os.ReadFile(GuideFile(ch, lang))
	if err != nil {
		return nil, fmt.Errorf("read the guide of %s: %w", ch.ID, err)
	}
	names := factName.FindAllString(string(text), -1)
	slices.Sort(names)
	return slices.Compact(names), nil
}

// UnnamedSteps returns the names of the steps that the chapter's guide does not
// mention.
func UnnamedSteps(ch Chapter, lang string) ([]string, error) {
	text, err := os.ReadFile(GuideFile(ch, lang))
	if err != nil {
		return nil, fmt.Errorf("read the guide of %s: %w", ch.ID, err)
	}
	var unnamed []string
	for _, step := range ch.Steps {
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(step.Name) + `\b`).Match(text) {
			unnamed = append(unnamed, step.Name)
		}
	}
	return unnamed, nil
}

var (
	fencedCode = regexp.MustCompile("(?ms)^[ \t]*(```|~~~).*?^[ \t]*(```|~~~)[ \t]*$")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	inlineLink = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?[^)]*\)`)
	namedLink  = regexp.MustCompile(`(?m)^[ \t]{0,3}\[[^\]]+\]:[ \t]*<?(\S+?)>?(?:[ \t].*)?$`)
	scheme     = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	heading    = regexp.MustCompile(`(?m)^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$`)
	anchorID   = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
	notInSlug  = regexp.MustCompile(`[^\pL\pN\pM _-]`)
)

// BrokenLinks returns the relative links of a Markdown file that lead to no
// file, or to no heading of one, each once in the order of the file. Code and
// addresses with a scheme are left out.
func BrokenLinks(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	plain := inlineCode.ReplaceAllString(fencedCode.ReplaceAllString(string(text), ""), "")
	var broken []string
	for _, pattern := range []*regexp.Regexp{inlineLink, namedLink} {
		for _, m := range pattern.FindAllStringSubmatch(plain, -1) {
			target := m[1]
			if !scheme.MatchString(target) && !resolves(file, target) && !slices.Contains(broken, target) {
				broken = append(broken, target)
			}
		}
	}
	return broken, nil
}

// resolves reports whether a relative link in file leads somewhere.
func resolves(file, target string) bool {
	name, anchor, _ := strings.Cut(target, "#")
	to := file
	if name != "" {
		to = filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
	}
	if _, err := os.Stat(to); err != nil {
		return false
	}
	if anchor == "" || !strings.HasSuffix(to, ".md") {
		return true
	}
	text, err := os.ReadFile(to)
	return err == nil && slices.Contains(anchors(string(text)), strings.ToLower(anchor))
}

// anchors are the names of a Markdown file's headings as GitHub makes them.
func anchors(text string) []string {
	var all []string
	count := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		slug := strings.ToLower(notInSlug.ReplaceAllString(m[1], ""))
		slug = strings.ReplaceAll(slug, " ", "-")
		if n := count[slug]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", slug, n))
		} else {
			all = append(all, slug)
		}
		count[slug]++
	}
	for _, m := range anchorID.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ToLower(m[1]))
	}
	return all
}
