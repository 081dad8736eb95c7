import { userData } from "#server/agent/user-data.ts";
import type { LoopContext } from "#server/control-loop/context.ts";
import { bootstrapHashOf, bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";

export const SECRET_KEY = "a-key-for-chaos-only";

/** The bundled agent, and its digest (sha256, hex). */
export interface AgentFile {
	file: string;
	sha256: string;
}

/** What a scheduler needs to launch machines that can reach this control plane. */
export function machineContext(options: {
	controlUrl: string;
	agent: AgentFile;
	/** The run's changes to the script; see FastClock. */
	inUserData?(script: string): string;
}): Pick<LoopContext, "bootstrapHashFor" | "userDataFor"> {
	const { controlUrl, agent, inUserData = (script) => script } = options;
	return {
		bootstrapHashFor: (instanceId) => bootstrapHashOf(SECRET_KEY, instanceId),
		userDataFor: (machine) => {
			const bootstrapSecret = bootstrapSecretOf(SECRET_KEY, machine.instanceId);
			return inUserData(userData({ ...machine, controlUrl, bootstrapSecret, agentSha256: agent.sha256 }));
		},
	};
}
