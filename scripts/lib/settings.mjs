// The settings that `npm start` passes to its programs, and the source of each value.
import { randomUUID } from "node:crypto";
import path from "node:path";
import process from "node:process";
import { loadSecrets } from "./home.mjs";
import { projectPath } from "./node.mjs";
import { PlainError } from "./plain-error.mjs";
import { HOST, parsePort, rememberedPorts } from "./ports.mjs";

export const PORT_DEFAULT = 3000;

export const HELP = `Usage: npm start    (or: node scripts/start.mjs [--help])
       npm run dev  the same for development: pages reload when they change, and the server restarts when its code changes

Installs what is missing, builds what has changed, starts PostgreSQL, the web server, the scheduler and, in demo mode,
emulated endpoints of AWS, Azure and Google Cloud. Ctrl-C stops everything. All of it listens on ${HOST} alone.

Settings, all by environment variables:
  SPILLWAY_HOME           the folder of all state (default: .spillway in the clone)
  SPILLWAY_PORT           the port of the web pages and the API (default: ${PORT_DEFAULT})
  DATABASE_URL            a PostgreSQL of your own instead of the one that npm brings; turns demo mode off
  SPILLWAY_DEMO           1: a demo company with live traffic; quiet: without the traffic; small: four GPUs and their
                          history alone; 0: no demo (default: 1 without DATABASE_URL)
  SPILLWAY_DEMO_PASSWORD  a fixed password of the demo accounts (default: generated at the first start)
  SPILLWAY_AWS_ENDPOINT, SPILLWAY_AZURE_ENDPOINT, SPILLWAY_GCP_ENDPOINT
                          a cloud's endpoint of your own instead of the emulated one

Logs are in SPILLWAY_HOME/log. A token for the command line and the API is in SPILLWAY_HOME/token.
`;

/**
 * @param {string} home absolute
 * @returns {Promise<{webPort: number, demo: boolean, traffic: boolean, ownDatabase: boolean,
 *   emulated: Record<string, string>, halls: Record<string, string>, instance: string,
 *   postgresPort: number, postgresPassword: string, env: NodeJS.ProcessEnv}>}
 */
export async function makeSettings(home, given = process.env) {
	const webPort = parsePort(given.SPILLWAY_PORT, PORT_DEFAULT);
	const secrets = loadSecrets(home);
	const ports = await rememberedPorts(home, ["postgres", ...CLOUDS, ...HALLS], [webPort]);
	const ownDatabase = Boolean(given.DATABASE_URL);
	const mode = given.SPILLWAY_DEMO || (ownDatabase ? "0" : "1");
	if (!DEMO_MODES.includes(mode))
		throw new PlainError(`SPILLWAY_DEMO is "${mode}", which is not a mode of the demo.`, `set it to one of ${DEMO_MODES.join(", ")}.`);
	const demo = mode !== "0";
	const company = mode === "1" || mode === "quiet";
	const halls = Object.fromEntries(HALLS.filter(() => company).map((hall) => [hall, `http://${HOST}:${ports[hall]}`]));
	const emulated = Object.fromEntries(
		CLOUDS.filter((cloud) => demo && !given[endpointName(cloud)]).map((cloud) => [cloud, `http://${HOST}:${ports[cloud]}`]),
	);
	const instance = randomUUID();
	const env = {
		...given,
		PATH: projectPath(),
		NODE_ENV: "production",
		NEXT_TELEMETRY_DISABLED: "1",
		// From the second start on, the programs load with a third less processor time.
		NODE_COMPILE_CACHE: given.NODE_COMPILE_CACHE || path.join(home, "compile-cache"),
		SPILLWAY_HOME: home,
		SPILLWAY_PORT: String(webPort),
		SPILLWAY_DEMO: demo ? "1" : "0",
		SPILLWAY_DEMO_SIZE: company ? "company" : "small",
		...Object.fromEntries(Object.entries(halls).map(([hall, endpoint]) => [endpointName(hall), endpoint])),
		SPILLWAY_INSTANCE: instance,
		SPILLWAY_SECRET: given.SPILLWAY_SECRET || secrets.secret,
		AUTH_SECRET: given.AUTH_SECRET || secrets.authSecret,
		...emulatedAccounts(emulated, home),
		...(Object.keys(emulated).length > 0 ? { SPILLWAY_TIMING: given.SPILLWAY_TIMING || JSON.stringify(DEMO_TIMING) } : {}),
	};
	return {
		webPort,
		demo,
		traffic: mode === "1",
		ownDatabase,
		emulated,
		halls,
		instance,
		postgresPort: ports.postgres,
		postgresPassword: secrets.postgresPassword,
		env,
	};
}

/** The clouds that the demo emulates, by the names of their programs (server/bin/<cloud>-emulator.ts) and ports. */
const CLOUDS = ["aws", "azure", "gcp"];

/** The emulated clusters of the demo's company (server/demo/company/halls.ts). */
const HALLS = ["hall-b", "hall-c"];

const DEMO_MODES = ["1", "quiet", "small", "0"];

function endpointName(cloud) {
	return `SPILLWAY_${cloud.toUpperCase().replace("-", "_")}_ENDPOINT`;
}

/** The emulated accounts: their addresses, and the keys that they accept. The Azure emulator accepts its driver without a key. */
function emulatedAccounts(emulated, home) {
	return {
		...Object.fromEntries(Object.entries(emulated).map(([cloud, endpoint]) => [endpointName(cloud), endpoint])),
		...(emulated.aws ? { AWS_ACCESS_KEY_ID: "AKIAEMULATED", AWS_SECRET_ACCESS_KEY: "emulated" } : {}),
		...(emulated.gcp ? { GOOGLE_APPLICATION_CREDENTIALS: path.join(home, "gcp/service-account.json") } : {}),
	};
}

/**
 * Timing short enough to watch live. Milliseconds; the names match server/services/core/timing.ts. An emulated machine boots
 * in 3 s.
 */
const DEMO_TIMING = {
	stopGraceMs: 8_000,
	readyTimeoutMs: 120_000,
	agentSilentMs: 30_000,
	leaseMs: 15_000,
	heartbeatMs: 1_000,
	controlSilenceMs: 600_000,
	callRetryMs: 3_000,
	launchForgetMs: 60_000,
	vanishMs: 60_000,
	backoffBaseMs: 20_000,
	offerCooldownMs: 15_000,
	offersEveryMs: 60_000,
	cloudStartMs: { p50Ms: 6_000, p90Ms: 9_000 },
	syncMs: 1_000,
	sweepMs: 30_000,
	meterMs: 15_000,
};
