// What `npm start` hands to the programs that it runs, and where each value comes from.
import { randomUUID } from "node:crypto";
import process from "node:process";
import { loadSecrets } from "./home.mjs";
import { projectPath } from "./node.mjs";
import { HOST, parsePort, rememberedPorts } from "./ports.mjs";

export const PORT_DEFAULT = 3000;

export const HELP = `Usage: npm start    (or: node scripts/start.mjs [--help])

Installs what is missing, builds what has changed, starts PostgreSQL, the web server, the scheduler and, in demo mode, an
emulated AWS endpoint. Ctrl-C stops everything. All of it listens on ${HOST} alone.

Settings, all by environment variables:
  SPILLWAY_HOME           the folder of all state (default: .spillway in the clone)
  SPILLWAY_PORT           the port of the web pages and the API (default: ${PORT_DEFAULT})
  DATABASE_URL            a PostgreSQL of your own instead of the one that npm brings; turns demo mode off
  SPILLWAY_DEMO           1: demo data and demo accounts; 0: neither (default: 1 without DATABASE_URL)
  SPILLWAY_AWS_ENDPOINT   an EC2 endpoint of your own instead of the emulated one

Logs are in SPILLWAY_HOME/log. A token for the command line and the API is in SPILLWAY_HOME/token.
`;

/**
 * @param {string} home absolute
 * @returns {Promise<{webPort: number, demo: boolean, ownDatabase: boolean, emulateAws: boolean, instance: string,
 *   postgresPort: number, postgresPassword: string, env: NodeJS.ProcessEnv}>}
 */
export async function makeSettings(home, given = process.env) {
	const webPort = parsePort(given.SPILLWAY_PORT, PORT_DEFAULT);
	const secrets = loadSecrets(home);
	const ports = await rememberedPorts(home, ["postgres", "aws"], [webPort]);
	const ownDatabase = Boolean(given.DATABASE_URL);
	const demo = given.SPILLWAY_DEMO === undefined || given.SPILLWAY_DEMO === "" ? !ownDatabase : given.SPILLWAY_DEMO === "1";
	const emulateAws = demo && !given.SPILLWAY_AWS_ENDPOINT;
	const instance = randomUUID();
	const env = {
		...given,
		PATH: projectPath(),
		NODE_ENV: "production",
		NEXT_TELEMETRY_DISABLED: "1",
		SPILLWAY_HOME: home,
		SPILLWAY_PORT: String(webPort),
		SPILLWAY_DEMO: demo ? "1" : "0",
		SPILLWAY_INSTANCE: instance,
		SPILLWAY_SECRET: given.SPILLWAY_SECRET || secrets.secret,
		AUTH_SECRET: given.AUTH_SECRET || secrets.authSecret,
		...(emulateAws ? { SPILLWAY_AWS_ENDPOINT: `http://${HOST}:${ports.aws}` } : {}),
	};
	return {
		webPort,
		demo,
		ownDatabase,
		emulateAws,
		instance,
		postgresPort: ports.postgres,
		postgresPassword: secrets.postgresPassword,
		env,
	};
}
