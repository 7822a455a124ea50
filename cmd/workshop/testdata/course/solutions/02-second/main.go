// Chapter 02: one step more.
package main

import (
	"fmt"
	"os"
)

// Step 1: say goodbye.
//
// Return "goodbye".
func Goodbye() (string, error) {
	return "goodbye", nil
}

func main() {
	text, err := Goodbye()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(text)
}
