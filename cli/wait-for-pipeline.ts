import { pipelineDetailSchema } from "#server/contract/pipeline.ts";
import { type Answer, readAs } from "./client.ts";
import type { CommandContext } from "./command.ts";

const LOOK_EVERY_MS = 1_000;

/** Waits until a pipeline or sweep has ended. Returns its last state. */
export async function waitForPipeline({ client, io }: CommandContext, id: string): Promise<Answer> {
	for (;;) {
		const answer = await client.get(`/pipelines/${id}`);
		const { state } = readAs(pipelineDetailSchema, answer, "pipeline");
		if (state !== "running" && state !== "cancelling") return answer;
		await io.sleep(LOOK_EVERY_MS);
	}
}
