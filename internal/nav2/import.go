package nav2

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// wildcard is the last part of a name that stands for every node of a namespace.
const wildcard = "**"

// Managers returns the lifecycle managers of a parameter file: the nodes whose parameters have node_names.
func Managers(text []byte) ([]Manager, error) {
	var root map[string]any
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("it is no parameter file of ROS 2: %w", err)
	}
	var found []Manager
	if err := findManagers("/", root, &found); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("no node in it has node_names: a launch file may set them; " +
			"with the bring-up running, write ros2 param dump /lifecycle_manager_navigation > managers.yaml, and import that")
	}
	owners := map[string]string{}
	for _, m := range found {
		if err := m.Check(); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", m.Name, NodeNames, err)
		}
		for _, n := range m.NodeNames {
			name := FullName(m.namespace(), n)
			if other := owners[name]; other != "" {
				return nil, fmt.Errorf("%s and %s both manage %s", other, m.Name, name)
			}
			owners[name] = m.Name
		}
	}
	return found, nil
}

// findManagers looks for managers below a namespace.
func findManagers(at string, level map[string]any, found *[]Manager) error {
	for _, key := range slices.Sorted(maps.Keys(level)) {
		below, ok := level[key].(map[string]any)
		if !ok {
			continue
		}
		name := path.Join(at, key)
		if path.Base(key) == wildcard {
			name = path.Join(path.Dir(name), NodeName)
		}
		params, ok := below["ros__parameters"].(map[string]any)
		if !ok {
			if err := findManagers(path.Join(at, key), below, found); err != nil {
				return err
			}
			continue
		}
		if _, manages := params[NodeNames]; !manages {
			continue
		}
		if !nodeName.MatchString(name) {
			return fmt.Errorf("%q has %s, and is no name of a node", name, NodeNames)
		}
		m, err := readManager(name, params)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*found = append(*found, m)
	}
	return nil
}

func readManager(name string, params map[string]any) (Manager, error) {
	m := Manager{Name: name, Params: Defaults()}
	for _, key := range slices.Sorted(maps.Keys(params)) {
		value := params[key]
		var err error
		switch key {
		case NodeNames:
			m.NodeNames, err = texts(key, value)
		case Autostart:
			m.Autostart, err = boolean(key, value)
		case Respawn:
			m.Respawn, err = boolean(key, value)
		case Parallel:
			m.Parallel, err = boolean(key, value)
		case BondTimeout:
			m.BondTimeout, err = seconds(key, value)
		case BondHeartbeat:
			m.BondHeartbeat, err = seconds(key, value)
		case ServiceTimeout:
			m.ServiceTimeout, err = seconds(key, value)
		case simulatedTime:
			m.SimulatedTime, err = boolean(key, value)
		case RespawnWithin:
			m.Unknown = append(m.Unknown, key+" ("+respawnWithinWhy+")")
		default:
			m.Unknown = append(m.Unknown, strings.Trim(strconv.Quote(key), `"`)) // it goes into a comment
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

func texts(key string, value any) (list []string, err error) {
	all, ok := value.([]any)
	for _, v := range all {
		text, is := v.(string)
		ok = ok && is
		list = append(list, text)
	}
	if !ok {
		return nil, fmt.Errorf("%s is no list of names", key)
	}
	return list, nil
}

func boolean(key string, value any) (bool, error) {
	b, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("%s is %v; write true or false", key, value)
	}
	return b, nil
}

func seconds(key string, value any) (d time.Duration, err error) {
	if whole, is := value.(int); is {
		value = float64(whole)
	}
	v, ok := value.(float64)
	if !ok {
		return 0, fmt.Errorf("%s is %v; write seconds", key, value)
	}
	if d, err = Seconds(v); err != nil {
		return 0, fmt.Errorf("%s: %w", key, err)
	}
	return d, nil
}
