// The house: which room may import which other rooms. This table is the only definition of the dependencies, and
// check-imports.mjs enforces it. Files within a room may import each other freely.

/**
 * @typedef {object} Room
 * @property {string[]} at folders (ending in "/") and files of the room
 * @property {string[]} imports rooms that it may import
 * @property {string[]} [typesOf] regular expressions for files from which it may import only types
 * @property {"pure"} [kind] pure: no clock, randomness, async, process or logger, and no built-in Node.js modules
 * @property {string[] | "any"} packages npm packages that it may import; "any" for no restriction
 * @property {string[] | "any"} [testsImport] additional rooms that its tests may import; by default every room except the entrances
 */

const PURE_CORE = ["kernel", "domain", "policy", "accounting", "scheduling"];
const BASE = ["kernel", "domain"];
/** @type {Record<string, Room>} */
export const HOUSE = {
	kernel: { at: ["server/kernel/"], imports: [], packages: [], testsImport: [] },
	domain: { at: ["server/domain/"], imports: ["kernel"], packages: ["zod", "yaml"], kind: "pure", testsImport: [] },
	policy: {
		at: ["server/policy/"],
		imports: BASE,
		packages: ["zod", "yaml", "@marcbachmann/cel-js", "diff"],
		kind: "pure",
		testsImport: [],
	},
	accounting: { at: ["server/accounting/"], imports: BASE, packages: [], kind: "pure", testsImport: [] },
	scheduling: {
		at: ["server/scheduling/"],
		imports: [...BASE, "policy", "accounting"],
		packages: [],
		kind: "pure",
		testsImport: [],
	},
	rates: { at: ["server/rates/"], imports: PURE_CORE, packages: "any" },
	providers: { at: ["server/providers/"], imports: [...PURE_CORE, "agentProtocol", "agent", "env"], packages: "any" },
	simulation: { at: ["server/simulation/"], imports: PURE_CORE, packages: "any" },
	// The business case: profiles the recorded history and replays it with different capacity.
	plan: { at: ["server/plan/"], imports: [...PURE_CORE, "rates", "simulation"], packages: ["zod"] },
	emulators: { at: ["server/emulators/"], imports: [...BASE, "rates"], packages: "any" },
	// The protocol between agents and the control plane. Both sides import it, so it is a room separate from the agent.
	agentProtocol: { at: ["server/agent/protocol.ts", "server/agent/identity-document.ts"], imports: BASE, packages: ["zod"] },
	agent: { at: ["server/agent/"], imports: [...BASE, "agentProtocol"], packages: ["zod"] },
	// The API's operations as data: the server binds each operation to its service, and clients parse responses with it.
	contract: { at: ["server/contract/"], imports: BASE, packages: ["zod"] },
	env: { at: ["server/env.ts"], imports: BASE, packages: ["zod"] },
	db: { at: ["server/db/"], imports: [...BASE, "env"], packages: "any" },
	services: {
		at: ["server/services/"],
		// The simulation is for backtests, which replay recorded data.
		imports: [...PURE_CORE, "agentProtocol", "contract", "db", "rates", "simulation", "plan", "env"],
		typesOf: ["^server/providers/[^/]+\\.ts$"],
		packages: "any",
	},
	auth: { at: ["server/auth/"], imports: [...BASE, "db", "services", "env"], packages: "any" },
	controlLoop: {
		at: ["server/control-loop/"],
		imports: [...PURE_CORE, "rates", "providers", "simulation", "plan", "db", "services", "auth", "env"],
		packages: "any",
	},
	// OpenTelemetry behind the ports of server/domain/trace.ts; nothing else imports its packages.
	tracing: { at: ["server/tracing/"], imports: BASE, packages: "any" },
	api: { at: ["server/api/"], imports: [...BASE, "agentProtocol", "contract", "services", "env"], packages: "any" },
	// The content of a fresh demo. Only start-up and the benchmarks use it.
	demo: {
		at: ["server/demo/"],
		// The emulators provide the names of the emulated accounts.
		imports: [...PURE_CORE, "rates", "providers", "simulation", "emulators", "db", "services", "auth", "env"],
		packages: "any",
	},
	bin: {
		at: ["server/bin/"],
		imports: [
			...PURE_CORE,
			...[
				"rates",
				"providers",
				"simulation",
				"plan",
				"emulators",
				"agent",
				"db",
				"services",
				"auth",
				"controlLoop",
				"tracing",
				"api",
				"demo",
				"env",
			],
		],
		packages: "any",
	},
	// Runs the real control plane against emulated clouds and kills parts of it.
	chaos: {
		at: ["server/chaos/"],
		imports: [
			...PURE_CORE,
			...["providers", "emulators", "agent", "agentProtocol", "db", "services", "controlLoop", "api", "scripts", "env"],
		],
		packages: "any",
	},
	components: {
		at: ["components/"],
		imports: BASE,
		typesOf: ["^server/api/trpc/router\\.ts$"],
		packages: "any",
		testsImport: [],
	},
	app: {
		at: ["app/", "proxy.ts"],
		imports: [...BASE, "components", "api", "auth", "env"],
		packages: "any",
	},
	cli: { at: ["cli/"], imports: [...BASE, "contract"], packages: ["zod", "yaml", "@modelcontextprotocol/sdk"] },
	// Packages for other programs. The generator reads the OpenAPI document; the packages themselves import no room.
	clientGenerator: { at: ["clients/generate/"], imports: ["api"], packages: [] },
	clients: { at: ["clients/"], imports: [], packages: [] },
	examples: { at: ["examples/"], imports: [], packages: [] },
	bench: {
		at: ["bench/"],
		imports: [
			...PURE_CORE,
			...[
				"rates",
				"providers",
				"simulation",
				"plan",
				"emulators",
				"agent",
				"agentProtocol",
				"db",
				"services",
				"auth",
				"controlLoop",
				"api",
				"chaos",
				"cli",
				"demo",
				"scripts",
				"env",
			],
		],
		packages: "any",
	},
	e2e: {
		at: ["e2e/", "playwright.config.ts"],
		imports: [...PURE_CORE, "rates", "emulators", "db", "services", "auth", "contract", "cli", "scripts", "env"],
		packages: "any",
	},
	scripts: {
		at: ["scripts/", "next.config.ts", "drizzle.config.ts", "vitest.config.ts", "postcss.config.mjs"],
		// Only modules in plain JavaScript: `npm start` may run on a Node.js without TypeScript.
		imports: ["kernel"],
		packages: "any",
	},
};

/** @param {string} name a room @returns {string[]} the folders and files of the room and of all rooms that it imports, even indirectly */
export function placesReachableFrom(name) {
	const reached = new Set([name]);
	// Iterating over a set also visits elements added meanwhile.
	for (const room of reached) for (const next of HOUSE[room].imports) reached.add(next);
	return [...reached].flatMap((room) => HOUSE[room].at).sort();
}

/** Rooms that no other room imports, not even in tests, because they are entry points. */
export const ENTRANCES = ["app", "bin", "e2e", "bench", "examples"];

/** Files that may read process.env, with the reason. All other code gets its settings as arguments or from server/env.ts. */
export const ENV_READERS = [
	{ at: "server/env.ts", why: "the one reader of the server's settings" },
	{ at: "scripts/", why: "starts, tests and builds the project; it makes the settings that the server reads" },
	{ at: "cli/", why: "its own program: the address and the token come from the caller's environment" },
	{ at: "server/agent/", why: "its own program on an instance: its settings come in by the instance's environment" },
	{ at: "server/emulators/config.ts", why: "its own program: the emulated cloud's settings" },
	{
		at: "server/chaos/",
		why: "its own program: names the emulated project's key file to Google's SDK, and its clock to the machines",
	},
	{ at: "examples/", why: "training scripts: CUDA_VISIBLE_DEVICES and the job's environment are their input" },
	{ at: "bench/", why: "separate programs, run by hand" },
	{ at: "e2e/", why: "Playwright hands the address of the server under test over in the environment" },
	{ at: "playwright.config.ts", why: "hands the address of the server under test to the tests" },
	{ at: "vitest.config.ts", why: "reads CI" },
	{ at: "proxy.ts", why: "NODE_ENV is replaced by the bundler" },
	{ at: "components/ui/under-base.ts", why: "the bundler replaces SPILLWAY_BASE_PATH, which is built into the pages" },
	{ at: "next.config.ts", why: "read by the build, before server/env.ts exists" },
];
