import { SpillwayError } from "#server/kernel/errors.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { drawSpotTrace } from "#server/simulation/replay/default-scenario.ts";
import type { ShippedFacts } from "#server/simulation/scenario-file/context.ts";
import { parseScenario, type ScenarioReading } from "#server/simulation/scenario-file/read-scenario.ts";

export const SCENARIO_FILE = "scenario.yaml";
export const SPOT_FILE = "spot.csv";

export interface ScenarioRequest {
	gpus: number;
	accelerator: string;
	startMs: number;
	seed: number;
	facts: ShippedFacts;
}

/** GPUs of a DGX or HGX node. */
const NODE_GPUS = 8;
/** Number of recordings that zones share by seed: as many as the public probes of replay/default-scenario.ts. */
const SPOT_TRACES = 5;

/** A scenario of the shipped catalog, and its files as texts. `spillway simulate` gives the same totals with them. */
export function buildScenario(request: ScenarioRequest): ScenarioReading & { texts: Record<string, string> } {
	const source = scenarioText(request);
	const texts: Record<string, string> = { [SCENARIO_FILE]: source, [SPOT_FILE]: spotText(request.seed) };
	const reading = parseScenario(source, {
		name: SCENARIO_FILE,
		facts: request.facts,
		open: (file) => {
			const text = texts[file];
			if (text === undefined) throw new SpillwayError("not_found", `The scenario names no file ${file}.`);
			return text;
		},
	});
	return { ...reading, texts };
}

function scenarioText({ gpus, accelerator, startMs, seed }: ScenarioRequest): string {
	const nodes = Math.floor(gpus / NODE_GPUS);
	const rest = gpus - nodes * NODE_GPUS;
	const pool = (id: string, count: number, perNode: number): string =>
		`    - { id: ${id}, accelerator: ${accelerator}, nodes: ${count}, gpusPerNode: ${perNode}, gridZone: US-MIDA-PJM }\n`;
	return `# Written by spillway plan compare: the owned GPUs, and the shipped catalog in the United States.
apiVersion: spillway/v1
kind: Scenario
metadata: { name: plan }
spec:
  seed: ${seed}
  start: ${new Date(startMs).toISOString()}
  pools:
${nodes > 0 ? pool("owned", nodes, NODE_GPUS) : ""}${rest > 0 ? pool("owned-rest", 1, rest) : ""}  catalog:
    accelerators: [${accelerator}]
    regions: ["aws:us-*", "gcp:us-*", "azure:*us*"]
  spotAvailability:
    file: ${SPOT_FILE}
`;
}

/** Drawn from the up and down times of public probes, because no recording can be shipped. */
function spotText(seed: number): string {
	const rows = Array.from({ length: SPOT_TRACES }, (_, i) => {
		const { traceId, startsMs, available, lengthMs } = drawSpotTrace(`plan-${i + 1}`, seed);
		return startsMs.map((fromMs, k) => {
			const toMs = startsMs[k + 1] ?? lengthMs;
			return `${traceId},${fromMs / SECOND_MS},${toMs / SECOND_MS},${available[k] ? 1 : 0}`;
		});
	});
	return `trace_id,t_start_s,t_end_s,available_nodes\n${rows.flat().join("\n")}\n`;
}
