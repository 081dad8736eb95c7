import { userData } from "#server/agent/user-data.ts";
import type { LoopContext } from "#server/control-loop/context.ts";
import { bootstrapHashOf, bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { AGENT_FILE, RUNTIME_FILES, sha256OfFile } from "./agent-files.ts";

/** User-data of instances. It is the same for the same instance on every call. */
export async function launchSecrets(secretKey: string, controlUrl: string): Promise<Pick<LoopContext, "userDataFor" | "bootstrapHashFor">> {
	const agentSha256 = await sha256OfFile(AGENT_FILE);
	const runtimeSha256 = Object.fromEntries(
		await Promise.all(Object.entries(RUNTIME_FILES).map(async ([platform, file]) => [platform, await sha256OfFile(file)] as const)),
	);
	return {
		userDataFor: (machine) =>
			userData({
				...machine,
				...{ controlUrl, agentSha256, runtimeSha256, bootstrapSecret: bootstrapSecretOf(secretKey, machine.instanceId) },
			}),
		bootstrapHashFor: (instanceId) => bootstrapHashOf(secretKey, instanceId),
	};
}
