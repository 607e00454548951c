// Package tty is a terminal for tests: a pair of file ends from the kernel, and a screen that
// interprets the output of a program. It imports the standard library only. It knows just the
// escape sequences that our own programs use; any other one is an error that the test sees.
package tty

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"
	"unsafe"
)

// Open makes a terminal of that size. The test writes keys to keyboard and reads the output from
// it; device is the program's terminal.
func Open(columns, lines int) (keyboard, device *os.File, err error) {
	keyboard, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a terminal: %w", err)
	}
	var number, unlocked int32
	err = control(keyboard, syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	if err == nil {
		err = control(keyboard, syscall.TIOCGPTN, unsafe.Pointer(&number))
	}
	if err == nil {
		err = Resize(keyboard, columns, lines)
	}
	if err == nil {
		device, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		keyboard.Close()
		return nil, nil, fmt.Errorf("cannot make a terminal: %w", err)
	}
	return keyboard, device, nil
}

// Resize changes the size; the program on the terminal gets a signal.
func Resize(keyboard *os.File, columns, lines int) error {
	size := struct{ rows, columns, x, y uint16 }{uint16(lines), uint16(columns), 0, 0}
	return control(keyboard, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
}

// control makes an ioctl call. The kernel does not keep the argument.
func control(f *os.File, request uintptr, argument unsafe.Pointer) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	if err := raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	}); err != nil {
		return err
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// Screen is the visible screen. Write the program's output to it. It may be used from any
// goroutine.
type Screen struct {
	mu            sync.Mutex
	columns, rows int
	page, under   page // under is the main page while the alternate one is shown
	over          bool
	cursor        bool   // visible
	rest          string // the beginning of an incomplete escape sequence
	strange       []string
	all           strings.Builder
}

type page struct {
	cells    [][]rune
	row, col int
}

// NewScreen returns an empty screen.
func NewScreen(columns, rows int) *Screen {
	return &Screen{columns: columns, rows: rows, page: empty(rows), cursor: true}
}

func empty(rows int) page { return page{cells: make([][]rune, rows)} }

// Reflow changes the size as most terminals do: a line that is too long continues in the next row,
// and the cursor keeps its place in the text.
func (s *Screen) Reflow(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns, s.rows = columns, rows
	var cells [][]rune
	row := s.page.row
	for i, line := range s.page.cells {
		if i == s.page.row {
			row = len(cells)
		}
		for len(line) > columns {
			cells, line = append(cells, line[:columns:columns]), line[columns:]
		}
		cells = append(cells, line)
	}
	for len(cells) > rows { // rows below the cursor are dropped first
		if len(cells) > row+1 {
			cells = cells[:len(cells)-1]
			continue
		}
		cells = cells[1:]
		row--
	}
	for len(cells) < rows {
		cells = append(cells, nil)
	}
	s.page.cells, s.page.row = cells, row
}

// Resize changes the size as terminals do that do not reflow.
func (s *Screen) Resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns, s.rows = columns, rows
	for _, p := range []*page{&s.page, &s.under} {
		for len(p.cells) < rows {
			p.cells = append(p.cells, nil)
		}
		for len(p.cells) > rows { // rows below the cursor are dropped first
			if len(p.cells) > p.row+1 {
				p.cells = p.cells[:len(p.cells)-1]
				continue
			}
			p.cells = p.cells[1:]
			p.row--
		}
		for i := range p.cells {
			p.cells[i] = p.cells[i][:min(len(p.cells[i]), columns)]
		}
	}
}

// String returns the visible page, without blanks at the ends of lines and without empty lines
// below.
func (s *Screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, l := range s.page.cells {
		lines = append(lines, strings.TrimRight(string(l), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Restored reports whether the terminal is in its initial state: visible cursor, main page.
func (s *Screen) Restored() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor && !s.over
}

// Strange lists the unknown escape sequences.
func (s *Screen) Strange() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.strange
}

// All returns everything that was ever written, escape sequences included.
func (s *Screen) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// Write interprets output.
func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(text)
	todo := s.rest + string(text)
	s.rest = ""
	for todo != "" {
		if strings.HasPrefix(todo, "\x1b") {
			n := sign(todo)
			if n == 0 {
				s.rest = todo
				return len(text), nil
			}
			s.obey(todo[1:n])
			todo = todo[n:]
			continue
		}
		r, n := first(todo)
		if n == 0 {
			s.rest = todo
			return len(text), nil
		}
		s.put(r)
		todo = todo[n:]
	}
	return len(text), nil
}

// first returns the first letter, and its length 0 if its bytes are incomplete.
func first(text string) (rune, int) {
	r, size := utf8.DecodeRuneInString(text)
	if !utf8.FullRuneInString(text) {
		return 0, 0
	}
	return r, size
}

// sign returns the length of the escape sequence at the beginning, or 0 if it is incomplete.
func sign(text string) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != '[' {
		return 2
	}
	for i := 2; i < len(text); i++ {
		if text[i] >= 0x40 && text[i] <= 0x7e {
			return i + 1
		}
	}
	return 0
}

func (s *Screen) put(r rune) {
	p := &s.page
	switch r {
	case '\r':
		p.col = 0
	case '\n':
		s.down()
	default:
		if r < ' ' {
			s.strange = append(s.strange, fmt.Sprintf("%q", r))
			return
		}
		if p.col >= s.columns { // a letter after a full line wraps
			p.col = 0
			s.down()
		}
		for len(p.cells[p.row]) <= p.col {
			p.cells[p.row] = append(p.cells[p.row], ' ')
		}
		p.cells[p.row][p.col] = r
		p.col++
	}
}

func (s *Screen) down() {
	p := &s.page
	if p.row++; p.row >= s.rows {
		p.cells = append(p.cells[1:], nil)
		p.row = s.rows - 1
	}
}

func (s *Screen) obey(what string) {
	p := &s.page
	kind := what[len(what)-1]
	number, _ := strconv.Atoi(strings.Trim(what, "[?ABCDHJKhlm"))
	switch {
	case what == "[?25l":
		s.cursor = false
	case what == "[?25h":
		s.cursor = true
	case what == "[?1049h":
		s.under, s.page, s.over = s.page, empty(s.rows), true
	case what == "[?1049l":
		s.page, s.over = s.under, false
	case what == "[H":
		p.row, p.col = 0, 0
	case kind == 'A':
		p.row = max(0, p.row-max(1, number))
	case what == "[J":
		column := min(p.col, s.columns-1) // after a full line the cursor is on its last letter
		p.cells[p.row] = p.cells[p.row][:min(column, len(p.cells[p.row]))]
		for i := p.row + 1; i < s.rows; i++ {
			p.cells[i] = nil
		}
	case kind == 'm': // the style of letters
	default:
		s.strange = append(s.strange, fmt.Sprintf("%q", what))
	}
}
