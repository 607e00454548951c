package bed

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestADiskIsFullAndHasRoomAgain(t *testing.T) {
	d := NewDisk(t, 8192)
	file := filepath.Join(d.Path, "file")
	text := make([]byte, 16384)
	if err := os.WriteFile(file, text, 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("16 KiB on 8: %v", err)
	}
	d.Resize(65536)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Errorf("16 KiB on 64: %v", err)
	}
	d.Lock()
	if err := os.WriteFile(file, text, 0o600); !errors.Is(err, syscall.EROFS) {
		t.Errorf("locked: %v", err)
	}
	d.Unlock()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Errorf("unlocked: %v", err)
	}
}
