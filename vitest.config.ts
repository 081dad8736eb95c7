import path from "node:path";
import { defineConfig } from "vitest/config";

const ROOMS = "{server,cli,clients,components,scripts,bench,examples}";
/** Tests in these rooms leave nothing in their modules, so that a worker loads the modules once for all of them. */
const PURE_ROOMS =
	"{components,cli,bench,server/{accounting,api,contract,control-loop,domain,emulators,kernel,plan,policy,providers,rates,scheduling,services,simulation}}";
const PURE_TESTS = `${PURE_ROOMS}/**/*.test.{ts,tsx}`;
const DATABASE_TESTS = `${ROOMS}/**/*.db.test.{ts,tsx}`;
const SETTINGS = {
	environment: "node",
	pool: "forks" as const,
	setupFiles: ["./scripts/test-setup.mjs"],
	// Workers and the programs that tests start compile each source once.
	env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "node_modules/.cache/spillway-tests") },
	// Only for tests that hang, as all waits of 600 s: a busy machine must not fail one.
	testTimeout: 900_000,
	hookTimeout: 900_000,
	expect: { poll: { timeout: 600_000 } },
	// next-auth imports "next/server" without an extension, which only a bundler resolves.
	server: { deps: { inline: ["next-auth"] } },
};

export default defineConfig({
	test: {
		// One more than the cores of the smallest machine: many tests wait for the servers that they start.
		maxWorkers: 3,
		projects: [
			{
				test: {
					...SETTINGS,
					name: "pure",
					isolate: false,
					include: [PURE_TESTS],
					exclude: [DATABASE_TESTS, "**/node_modules/**"],
				},
			},
			{
				test: {
					...SETTINGS,
					name: "unit",
					include: [`${ROOMS}/**/*.test.{ts,tsx,mjs}`],
					exclude: [PURE_TESTS, DATABASE_TESTS, "**/node_modules/**"],
				},
			},
			{
				test: {
					...SETTINGS,
					name: "database",
					// They keep nothing in their modules either: a worker loads the house once for all of them.
					isolate: false,
					include: [DATABASE_TESTS],
					globalSetup: ["./scripts/test-postgres.mjs"],
				},
			},
		],
	},
});
