import { defineConfig, devices } from "@playwright/test";

// `npm test -- e2e` chooses the browser, a free port and an empty state folder, and names them here.
const { SPILLWAY_CHROMIUM, SPILLWAY_CHROMIUM_ARGS, SPILLWAY_HOME, SPILLWAY_PORT, CI } = process.env;
const prepared = SPILLWAY_CHROMIUM && SPILLWAY_HOME && SPILLWAY_PORT;
/** These run beside the other tests, because each starts its own installation. */
const OWN_INSTALLATION = ["**/tasks.spec.ts", "**/set-up.spec.ts"];
const baseURL = `http://127.0.0.1:${SPILLWAY_PORT}`;

export default defineConfig({
	testDir: "./e2e",
	outputDir: "./test-results/browser",
	// Only for tests that hang: a busy machine must not fail one.
	timeout: 900_000,
	expect: { timeout: 300_000 },
	forbidOnly: Boolean(CI),
	workers: 2,
	projects: [
		// These tests share one running system, and assert its slots and budget.
		{ name: "console", testIgnore: OWN_INSTALLATION, workers: 1 },
		{ name: "own", testMatch: OWN_INSTALLATION, workers: 1 },
	],
	use: {
		...devices["Desktop Chrome"],
		baseURL,
		contextOptions: { reducedMotion: "reduce" },
		// Traces take a quarter of the processor time. To record them: npm test -- e2e --trace retain-on-failure
		screenshot: "only-on-failure",
		launchOptions: { ...(SPILLWAY_CHROMIUM ? { executablePath: SPILLWAY_CHROMIUM } : {}), args: SPILLWAY_CHROMIUM_ARGS?.split(" ") ?? [] },
	},
	webServer: {
		// The very command that a person runs; its state folder is deleted afterwards.
		command: prepared ? "exec node scripts/start.mjs" : 'echo "Run the browser tests by: npm test -- e2e" >&2; exit 1',
		// The tests count four owned slots and the jobs of the small history.
		env: { SPILLWAY_DEMO: "small" },
		url: `${baseURL}/readyz`,
		reuseExistingServer: false,
		timeout: 900_000,
		stdout: "pipe",
		stderr: "pipe",
		gracefulShutdown: { signal: "SIGTERM", timeout: 45_000 },
	},
});
