package promises

type Row struct {
	Promise, Breaks, Test string
	Rules, When, More     []string
}

func Load(root string) ([]Row, error) { return nil, nil }
