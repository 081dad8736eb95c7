import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";

const root = path.resolve(import.meta.dirname, "../..");

/** The bundled agent that machines fetch at boot. */
export const AGENT_FILE = path.join(root, "dist/agent.mjs");

/** The Node binaries of this installation by platform, for machine images without Node. */
export const RUNTIME_FILES: Readonly<Record<string, string>> = Object.fromEntries(
	["linux-x64", "linux-arm64"]
		.map((platform) => [platform, path.join(root, `node_modules/node-${platform}/bin/node`)])
		.filter(([, file]) => existsSync(file ?? "")),
);

export async function sha256OfFile(file: string): Promise<string> {
	const hash = createHash("sha256");
	await pipeline(createReadStream(file), hash);
	return hash.digest("hex");
}
