import { defineConfig } from "vitest/config";

const ROOMS = "{server,cli,components,scripts,bench,examples}";
/** Rooms without processes, sockets or module state: their tests share a worker's modules, which spares loading the house 200 times. */
const PURE_ROOMS = "{components,cli,bench,server/{kernel,domain,policy,scheduling,accounting,simulation,rates}}";
const PURE_TESTS = `${PURE_ROOMS}/**/*.test.{ts,tsx}`;
const DATABASE_TESTS = `${ROOMS}/**/*.db.test.{ts,tsx}`;
const SETTINGS = {
	environment: "node",
	pool: "forks" as const,
	// For what hangs, not for what is slow: a busy machine is no failure.
	testTimeout: 60_000,
	hookTimeout: 120_000,
	// next-auth imports "next/server" without an extension, which only a bundler resolves.
	server: { deps: { inline: ["next-auth"] } },
};

export default defineConfig({
	test: {
		// Two workers on the two cores of the smallest machine; more only compete with the servers that tests start.
		maxWorkers: 2,
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
