// What the worker of the rehearsal finds in its scope.

declare function importScripts(...paths: string[]): void;

/** Of wasm_exec.js, which the Go distribution has: it starts a Go program. */
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** Of the program in internal/whatif: it answers a question in JSON with JSON. */
declare function rehearse(question: string): string;
