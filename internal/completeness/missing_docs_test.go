package completeness

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/client-go-workshop/internal/cluster/namespacelease"
	"example.com/client-go-workshop/internal/course"
)

// languages of the guides and of the READMEs. A chapter need not have all guides,
// the English one it must.
var languages = []string{"en", "zh-CN"}

// guides wants each guide to have a section for each step, the facts that are
// tested and no others, and links that lead somewhere.
func (l *list) guides(ch course.Chapter) {
	for _, lang := range languages {
		file := guideFile(ch, lang)
		text, err := os.ReadFile(file)
		name := course.Relative(ch.Root(), file)
		switch {
		case err != nil && lang == "en":
			l.add("%s is missing: the guide", name)
		case err == nil:
			l.guide(ch, lang, name, string(text))
		}
	}
}

func (l *list) guide(ch course.Chapter, lang, name, text string) {
	for _, step := range ch.Steps {
		heading := regexp.MustCompile(fmt.Sprintf(`(?m)^#{2,4} .*\b%d\b.*\b%s\b`, step.Number, regexp.QuoteMeta(step.Name)))
		if !heading.MatchString(text) {
			l.add("step %d, %s: %s has no section for it: ### Step %d: %s", step.Number, step.Name, name, step.Number, step.Name)
		}
	}
	tests, err := factNames(ch)
	if err != nil {
		l.fail(ch.Root(), err)
	}
	told, err := guideFacts(ch, lang)
	if err != nil {
		l.fail(ch.Root(), err)
	}
	for _, fact := range tests {
		if !slices.Contains(told, fact) {
			l.add("%s does not name %s of facts_test.go", name, fact)
		}
	}
	for _, fact := range told {
		if !slices.Contains(tests, fact) {
			l.add("%s names %s, and facts_test.go has none of that name", name, fact)
		}
	}
	broken, err := brokenLinks(guideFile(ch, lang))
	if err != nil {
		l.fail(ch.Root(), err)
	}
	for _, link := range broken {
		l.add("%s: the link %s leads nowhere", name, link)
	}
}

// chapterRow is a row of a table whose first cell links to a chapter's guide.
var chapterRow = regexp.MustCompile(`(?m)^\| *\[([^\]]+)\]\(([0-9]{2}-[^/)]+)/README[^)]*\) *\| *(.*?) *\|$`)

// readmeRows wants the table of chapters of each README to be the course.
func (l *list) readmeRows(c *course.Course) {
	for _, lang := range languages {
		name := filepath.Base(guideFile(course.Chapter{}, lang))
		text, err := os.ReadFile(filepath.Join(c.Root, name))
		if err != nil {
			l.add("%s is missing", name)
			continue
		}
		var got, want []string
		for _, row := range chapterRow.FindAllStringSubmatch(string(text), -1) {
			got = append(got, row[2])
		}
		for _, ch := range c.Chapters {
			want = append(want, ch.ID)
			if !slices.Contains(got, ch.ID) {
				l.add("%s: %s has no row for it: | [%s](%s/README.md) | %s |", ch.ID, name, ch.ID, ch.ID, ch.About)
			}
		}
		stray := slices.DeleteFunc(slices.Clone(got), func(id string) bool { return slices.Contains(want, id) })
		for _, id := range stray {
			l.add("%s: %s has a row for it, and course.yaml has no such chapter", id, name)
		}
		here := slices.DeleteFunc(want, func(id string) bool { return !slices.Contains(got, id) })
		got = slices.DeleteFunc(got, func(id string) bool { return slices.Contains(stray, id) })
		if !slices.Equal(got, here) {
			l.add("%s: its rows stand in another order than course.yaml, or more than once: %s", name, strings.Join(got, ", "))
		}
	}
}

// oneNamespace wants docs/kind.md to say how much of the course a user with the
// role edit in one namespace can do, and what a check removes there.
func (l *list) oneNamespace(c *course.Course) {
	const name = "docs/kind.md"
	text, err := os.ReadFile(filepath.Join(c.Root, filepath.FromSlash(name)))
	if err != nil {
		l.add("%s is missing", name)
		return
	}
	plain := strings.Join(strings.Fields(string(text)), " ")
	removed := "removes the " + course.Enumerate(namespacelease.RemovesInWords()) + " that it finds there"
	for _, sentence := range append(oneNamespaceSentences(c), removed) {
		if !strings.Contains(plain, sentence) {
			l.add("%s does not say: %s", name, sentence)
		}
	}
}

func oneNamespaceSentences(c *course.Course) []string {
	total, judged := 0, 0
	var run, cannot []string
	for _, ch := range c.Chapters {
		total += len(ch.Steps)
		for _, step := range ch.Steps {
			if !slices.ContainsFunc(ch.Needs, func(n course.Need) bool { return slices.Contains(n.Steps, step.Name) }) {
				judged++
			}
		}
		if slices.ContainsFunc(ch.Needs, func(n course.Need) bool { return n.Program }) {
			cannot = append(cannot, ch.Number)
		} else {
			run = append(run, ch.Number)
		}
	}
	if len(cannot) == 0 {
		cannot = []string{"none"}
	}
	return []string{
		fmt.Sprintf("With the role `edit` in one namespace %d of the %d steps can be judged", judged, total),
		fmt.Sprintf("The programs of %s run with `-namespace ana`; those of %s need more rights", course.Enumerate(run),
			course.Enumerate(cannot)),
	}
}

// needs wants the rights of course.yaml to name steps that exist.
func (l *list) needs(c *course.Course) {
	for _, ch := range c.Chapters {
		for _, need := range ch.Needs {
			for _, name := range need.Steps {
				if !slices.ContainsFunc(ch.Steps, func(s course.Step) bool { return s.Name == name }) {
					l.add("%s: course.yaml says that step %s needs the right to %s, and there is no such step", ch.ID, name, need.Right)
				}
			}
		}
	}
}
