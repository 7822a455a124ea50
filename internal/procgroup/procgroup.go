// Package procgroup starts programs in process groups, and sends them the signals
// that not every operating system has.
package procgroup
