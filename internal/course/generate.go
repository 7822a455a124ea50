package course

//go:generate go run ../../cmd/workshop dev starters
