import { SpillwayError } from "#server/kernel/errors.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";

/** One kind of job at one number of GPUs, with its steps per second by accelerator; 0: it cannot run there. */
export interface SpeedFamily {
	user: string;
	gpus: number;
	speeds: Record<string, number>;
}

const COLUMN = /^([a-z0-9.-]+)_steps_per_s$/i;
/** Names in the shipped prior (server/rates/data/throughput.json) for models that the catalog does not sell. */
const OLD_MODELS: Readonly<Record<string, string>> = { k80: "K80-12GB", p100: "P100-16GB", v100: "V100-16GB", a100: "A100-80GB" };

/** Reads rows of `model,gpus,NAME_steps_per_s,…`. @throws SpillwayError `invalid_input` with what is missing. */
export function readSpeedTable(rows: readonly (readonly string[])[]): SpeedFamily[] {
	const [header = [], ...body] = rows;
	const at = (name: string): number => header.indexOf(name);
	const columns = header.flatMap((name, i) => {
		const match = COLUMN.exec(name);
		return match?.[1] && !match[1].includes("unconsolidated") ? [{ accelerator: acceleratorNamed(match[1]), i }] : [];
	});
	if (at("model") < 0 || at("gpus") < 0 || columns.length < 2) {
		throw new SpillwayError("invalid_input", "The table needs the columns model, gpus and two or more NAME_steps_per_s.");
	}
	const families = body.flatMap((row): SpeedFamily[] => {
		const gpus = Number(row[at("gpus")]);
		const model = row[at("model")] ?? "";
		const speeds = Object.fromEntries(columns.map(({ accelerator, i }) => [accelerator, Number(row[i]) || 0]));
		const runs = Object.values(speeds).filter((speed) => speed > 0).length;
		return Number.isInteger(gpus) && gpus >= 1 && runs > 0 ? [{ user: nameOf(model, gpus), gpus, speeds }] : [];
	});
	if (families.length === 0) throw new SpillwayError("invalid_input", "The table has no row with a number of GPUs and a speed.");
	return families;
}

function acceleratorNamed(column: string): string {
	return OLD_MODELS[column.toLowerCase()] ?? acceleratorsNamed(column)[0] ?? column.toUpperCase();
}

/** Only letters and digits, because it becomes a user name. */
function nameOf(model: string, gpus: number): string {
	return `${model
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/-$/, "")}-on-${gpus}-gpus`;
}
