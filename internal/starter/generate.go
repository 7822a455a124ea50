package starter

//go:generate go run ../../cmd/workshop dev starters
