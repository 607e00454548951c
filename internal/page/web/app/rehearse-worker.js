// The worker that plays what would happen. It alone may compile WebAssembly. The glue of the Go distribution starts the
// rehearsal, which offers the function rehearse. Questions wait until it is there.
//
// This is a classic script, because the glue is one.
/* global importScripts, Go, rehearse */
importScripts("../wasm_exec.js");

async function load() {
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch("../rehearse.wasm"), go.importObject);
  go.run(instance); // it never ends
}

let ready;

onmessage = async (e) => {
  const { number, question } = e.data;
  try {
    ready ??= load();
    await ready;
    postMessage({ number, answer: rehearse(JSON.stringify(question)) });
  } catch (fault) {
    ready = undefined; // the next question loads it again
    postMessage({ number, answer: JSON.stringify({ fault: String(fault) }) });
  }
};
