package strict

import (
	"slices"
	"strings"
	"testing"
)

func TestAlike(t *testing.T) {
	for name, c := range map[string]struct {
		name, names, want string
	}{
		"none":                        {"/a/lidar", "", ""},
		"itself is no other":          {"/lidar", "/lidar", ""},
		"another namespace":           {"/lidar", "/camera /robot/lidar", "/robot/lidar"},
		"a typo":                      {"/robot/lidar", "/robot/lidra /base/lidra", "/robot/lidra"},
		"a number behind it":          {"/lidar", "/lidar_1 /front/lidar /camera", "/front/lidar /lidar_1"},
		"a number too much":           {"/lidar_1", "/lidar", "/lidar"},
		"a letter is no word":         {"/lidar", "/l", ""},
		"no more than asked for":      {"/lidar", "/lidar_4 /lidar_3 /lidar_2 /lidar_1", "/lidar_1 /lidar_2 /lidar_3"},
		"each once":                   {"/lidar", "/lidar_1 /lidar_1", "/lidar_1"},
		"a long namespace is no hint": {"/a_very_long_namespace/lidar", "/a_very_long_namespace/talker", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Alike(c.name, strings.Fields(c.names), 3); !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}
