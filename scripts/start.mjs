// `npm start`: everything that Spillway needs on a fresh clone, in one command. This file uses only syntax and modules that old
// Node.js versions support, so that an outdated version prints a clear message instead of a syntax error.
const wanted = 20;
const major = Number(process.version.slice(1).split(".")[0]);
if (major < wanted) {
	console.error(`Spillway needs Node ${wanted} or newer; this is ${process.version}.`);
	console.error("What to do: install a current Node from https://nodejs.org (or with your version manager) and run npm start again.");
	process.exitCode = 1;
} else {
	void import("./lib/start-main.mjs").then((module) => module.main(process.argv.slice(2)));
}
