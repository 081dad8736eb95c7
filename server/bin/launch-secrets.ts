import { readFile } from "node:fs/promises";
import { type MachineNetwork, userData } from "#server/agent/user-data.ts";
import type { LoopContext } from "#server/control-loop/context.ts";
import { agentUrl, type Env } from "#server/env.ts";
import { bootstrapHashOf, bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { AGENT_FILE, RUNTIME_FILES, sha256OfFile } from "./agent-files.ts";

/** EC2 accepts 16 KiB of user-data. */
const CERTIFICATES_BYTES_MAX = 8 * 1024;

/** User-data of instances. It is the same for the same instance on every call. */
export async function launchSecrets(settings: Env): Promise<Pick<LoopContext, "userDataFor" | "bootstrapHashFor">> {
	const { SPILLWAY_SECRET: secretKey } = settings;
	const agentSha256 = await sha256OfFile(AGENT_FILE);
	const runtimeSha256 = Object.fromEntries(
		await Promise.all(Object.entries(RUNTIME_FILES).map(async ([platform, file]) => [platform, await sha256OfFile(file)] as const)),
	);
	const network = await machineNetwork(settings.SPILLWAY_AGENT_NETWORK);
	return {
		userDataFor: (machine) =>
			userData({
				...machine,
				...{ controlUrl: agentUrl(settings), agentSha256, runtimeSha256, network },
				bootstrapSecret: bootstrapSecretOf(secretKey, machine.instanceId),
			}),
		bootstrapHashFor: (instanceId) => bootstrapHashOf(secretKey, instanceId),
	};
}

/** @throws Error when the file cannot be read, or its certificates are none or too large */
export async function machineNetwork(
	{ caFile, proxy, noProxy }: NonNullable<Env["SPILLWAY_AGENT_NETWORK"]> = { noProxy: [] },
): Promise<MachineNetwork> {
	const calls = proxy === undefined ? {} : { proxy, noProxy };
	if (caFile === undefined) return calls;
	const text = await readFile(caFile, "utf8");
	const certificates = [...text.matchAll(/-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----/g)]
		.join("\n")
		.replaceAll("\r", "");
	if (certificates === "") throw new Error(`${caFile} (caFile in SPILLWAY_AGENT_NETWORK) contains no certificate in PEM form.`);
	if (certificates.length > CERTIFICATES_BYTES_MAX)
		throw new Error(
			`The certificates in ${caFile} (caFile in SPILLWAY_AGENT_NETWORK) do not fit into user-data. Keep at most ${CERTIFICATES_BYTES_MAX} bytes: only your own authorities.`,
		);
	return { ...calls, certificates };
}
