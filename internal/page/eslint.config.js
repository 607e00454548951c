// The rules for the scripts of the page. tsc checks names and types.
export default [
  {
    files: ["web/app/**/*.js"],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-restricted-properties": ["error",
        { property: "innerHTML", message: "texts of nodes stay text" },
        { property: "dangerouslySetInnerHTML", message: "texts of nodes stay text" }],
      "no-eval": "error", "no-implied-eval": "error", "no-new-func": "error",
      "eqeqeq": "error", "prefer-const": "error", "no-var": "error", "no-shadow": "error", "no-unused-expressions": "error",
      "complexity": ["error", 15], "max-lines": ["error", 250], "max-params": ["error", 5],
    },
  },
];
