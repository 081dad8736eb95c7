import { messageOf } from "./client.ts";
import { findMetadata } from "./find-metadata.ts";
import type { AgentSettings } from "./settings.ts";

/** Returns the machine to its cloud before it is powered off. A failure is logged, and the power-off follows anyway. */
export async function releaseMachine(settings: AgentSettings, log: (text: string) => void): Promise<void> {
	try {
		if (await findMetadata(settings).deleteMachine?.()) log("the machine asked its cloud to delete it");
	} catch (error) {
		log(`the machine could not be released, and is powered off alone: ${messageOf(error)}`);
	}
}
