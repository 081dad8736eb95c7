import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { userData } from "#server/agent/user-data.ts";
import type { LoopContext } from "#server/control-loop/context.ts";
import { bootstrapHashOf, bootstrapSecretOf } from "#server/services/agent/bootstrap.ts";

const AGENT_FILE = path.resolve(import.meta.dirname, "../../dist/agent.mjs");

/** User-data of instances, the same for the same instance however often it is asked for. */
export function launchSecrets(secretKey: string, controlUrl: string): Pick<LoopContext, "userDataFor" | "bootstrapHashFor"> {
	const agentSha256 = createHash("sha256").update(readFileSync(AGENT_FILE)).digest("hex");
	return {
		userDataFor: ({ instanceId, expiresAtMs }) =>
			userData({ controlUrl, instanceId, bootstrapSecret: bootstrapSecretOf(secretKey, instanceId), agentSha256, expiresAtMs }),
		bootstrapHashFor: (instanceId) => bootstrapHashOf(secretKey, instanceId),
	};
}
