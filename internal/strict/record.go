package strict

// Field is one key of a mapping that is read into an R.
type Field[R any] struct {
	Key      string
	Doc      string
	required bool
	plain    bool // has no default
	fallback string
	schema   Schema
	read     func(v Value, into *R)
	show     func(from *R) any
	write    func(from *R) Written
}

// Key makes a field of the value that at points to.
func Key[R, T any](key, doc string, kind Kind[T], at func(*R) *T) Field[R] {
	f := Field[R]{Key: key, Doc: doc, schema: kind.Schema, read: func(v Value, into *R) { kind.Read(v, at(into)) }}
	if kind.Show != nil {
		f.show = func(from *R) any { return kind.Show(*at(from)) }
	}
	f.write = func(from *R) Written { return kind.written(*at(from)) }
	return f
}

// Required makes a file without the key a fault.
func (f Field[R]) Required() Field[R] {
	f.required, f.plain = true, true
	return f
}

// Plain is a field without a default.
func (f Field[R]) Plain() Field[R] {
	f.plain = true
	return f
}

// Else is a field whose default depends on others; text says how.
func (f Field[R]) Else(text string) Field[R] {
	f.fallback = text
	return f
}

// Within makes the fields of a part the fields of the whole.
func Within[R, P any](fields []Field[P], part func(*R) *P) []Field[R] {
	out := make([]Field[R], len(fields))
	for i, f := range fields {
		out[i] = Field[R]{
			Key: f.Key, Doc: f.Doc, required: f.required, plain: f.plain, fallback: f.fallback, schema: f.schema,
			read:  func(v Value, into *R) { f.read(v, part(into)) },
			write: func(from *R) Written { return f.write(part(from)) },
		}
		if f.show != nil {
			out[i].show = func(from *R) any { return f.show(part(from)) }
		}
	}
	return out
}

// Record reads a mapping with just these keys. The defaults are for the schema; what is read into holds them already.
func Record[R any](fields []Field[R], defaults R) Kind[R] {
	keys := make([]string, 0, len(fields))
	byKey := make(map[string]*Field[R], len(fields))
	for i := range fields {
		keys = append(keys, fields[i].Key)
		byKey[fields[i].Key] = &fields[i]
	}
	return Kind[R]{
		Schema: recordSchema(fields, defaults),
		Write:  func(from R) Written { return Mapping(fields, &from) },
		Read: func(v Value, into *R) {
			entries, ok := v.Entries("a mapping with the keys " + Or(keys))
			if !ok {
				return
			}
			given := make(map[string]bool, len(entries))
			for _, e := range entries {
				f := byKey[e.Name]
				if f == nil {
					e.Key.unknown(keys)
					continue
				}
				given[e.Name] = true
				f.read(e.Value, into)
			}
			for _, f := range fields {
				if f.required && !given[f.Key] {
					v.Fault("the key "+f.Key+" is missing", "add it: "+f.Doc)
				}
			}
		},
	}
}

func (v Value) unknown(keys []string) {
	v.Fault("is no key here", v.Report().Suggest(v.node.Value, keys, "there is "+Or(keys)))
}

func recordSchema[R any](fields []Field[R], defaults R) Schema {
	properties := Schema{}
	var required []string
	for _, f := range fields {
		s := f.schema.With("description", f.Doc)
		switch {
		case f.fallback != "":
			s["default"] = f.fallback
		case f.show != nil && !f.plain:
			s["default"] = f.show(&defaults)
		}
		if f.required {
			required = append(required, f.Key)
		}
		properties[f.Key] = s
	}
	s := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	return s
}

// Table reads a mapping whose keys are names, in file order. start makes the entry of a name, or reports the name and
// returns false; an entry without a value is one without keys where bare allows it.
func Table[T any](kind Kind[T], pattern string, bare bool, start func(e Entry) (T, bool)) Kind[[]T] {
	value := kind.Schema
	if bare {
		value = Schema{"anyOf": []Schema{kind.Schema, {"type": "null"}}}
	}
	return Kind[[]T]{
		Schema: Schema{"type": "object", "patternProperties": Schema{pattern: value}, "additionalProperties": false},
		Read: func(v Value, into *[]T) {
			entries, ok := v.Entries("a mapping of names")
			if !ok {
				return
			}
			for _, e := range entries {
				t, ok := start(e)
				if !bare || !e.Value.null() {
					kind.Read(e.Value, &t)
				}
				if ok {
					*into = append(*into, t)
				}
			}
		},
	}
}
