import { messageOf } from "./client.ts";
import { findMetadata } from "./find-metadata.ts";
import type { AgentSettings } from "./settings.ts";

/** Returns the machine to its cloud before it is powered off. A failure is logged, and the power-off follows anyway. */
export async function releaseMachine(settings: AgentSettings, log: (text: string) => void): Promise<void> {
	try {
		if (await findMetadata(settings).deleteMachine?.()) log("requested deletion of this instance from the provider");
	} catch (error) {
		log(`could not delete this instance; powering off only: ${messageOf(error)}`);
	}
}
