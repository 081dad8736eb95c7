// `npm test`: every check of the project, cheapest first, up to the first that fails. `npm test -- lint unit` runs some.
const wanted = 20;
const major = Number(process.version.slice(1).split(".")[0]);
if (major < wanted) {
	console.error(`Spillway's tests need Node ${wanted} or newer; this is ${process.version}.`);
	console.error("What to do: install a current Node from https://nodejs.org (or with your version manager) and run npm test again.");
	process.exitCode = 1;
} else {
	void import("./lib/test-main.mjs").then((module) => module.main(process.argv.slice(2)));
}
