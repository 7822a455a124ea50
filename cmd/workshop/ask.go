package main

import (
	"bufio"
	"fmt"
	"strings"
)

// ask asks a yes-or-no question on the terminal, unless --yes has answered it.
// Where there is no terminal nobody can answer, which is wrong use.
func (a *app) ask(question string, yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !newScreen(a.in).terminal || !a.err.terminal {
		return false, usageError("%s\nthere is no terminal to answer on; if you mean it, add --yes", question)
	}
	_, _ = fmt.Fprintf(a.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && answer == "" {
		return false, nil // the end of the input is a no
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}
