import type { DemandInput } from "#components/charts/demand.ts";

const MINUTE = 60_000;

/** "-24 60, -23.2 64" as points: times from now in this unit, and values; "x" is a gap. */
function steps(nowMs: number, unitMs: number, text: string): [number, number | null][] {
	return text.split(", ").map((pair) => {
		const [at, value] = pair.split(" ");
		return [nowMs + Number(at) * unitMs, value === "x" ? null : Number(value)];
	});
}

const slopes = (nowMs: number, unitMs: number, text: string): [number, number][] =>
	steps(nowMs, unitMs, text).map(([at, value]) => [at, value ?? 0]);

const OWNED =
	"-24 60, -23.2 64, -21.6 62, -20.8 64, -18.4 63, -17.2 64, -16.1 60, -15.3 56, -14.2 58, -13.4 52, -12.3 44, -11.2 40, -10.1 48, -9 44, -8.2 52, -7.4 56, -6.7 64, -5.2 62, -4.4 64, -2.6 63, -1.9 64, -0.75 61";
const WAITING =
	"-24 34, -23.6 28, -22.7 22, -21.9 36, -21.1 30, -20.3 38, -19.5 30, -18.6 24, -17.9 28, -17.2 16, -16.3 12, -15.6 4, -14.9 0, -8.2 4, -7.4 14, -6.9 30, -6.45 36, -5.9 52, -5.3 46, -4.8 58, -4.33 50, -3.6 56, -3.1 44, -2.6 48, -2.23 56, -2.08 46, -1.6 50, -1.1 62, -0.5 52, -0.2 58";

/** The day of the reference picture, moved to end now. */
export function demoDemand(nowMs: number): DemandInput {
	const hour = 60 * MINUTE;
	const measured = (text: string) => steps(nowMs, hour, text);
	const forecast = (text: string) => slopes(nowMs, hour, text);
	const demand = [
		[0, 143, 143, 143],
		[1, 134, 142, 154],
		[2, 118, 134, 157],
		[3, 102, 123, 155],
		[4, 90, 112, 150],
		[5, 80, 102, 143],
		[6, 73, 96, 136],
	] as const;
	return {
		fromMs: nowMs - 24 * hour,
		nowMs,
		toMs: nowMs + 6 * hour,
		ownedGpus: 64,
		owned: { id: "hall-b", label: "hall-b", fill: "owned", points: measured(OWNED), forecast: forecast("0 61, 0.4 64, 4 64, 6 62") },
		cloud: [
			{
				id: "aws-spot",
				label: "AWS spot",
				fill: "spot",
				points: measured("-24 8, -21.1 16, -17.9 8, -6.45 16, -5.3 24, -4.33 32, -2.6 24, -2.23 16"),
				forecast: forecast("0 16, 0.15 24, 4.2 24, 5.2 16, 6 16"),
			},
			{ id: "aws-od", label: "AWS on-demand", fill: "on_demand", points: measured("-24 0, -23.6 8, -19.1 0"), forecast: forecast("0 0") },
			{
				id: "gcp-spot",
				label: "Google spot",
				fill: "spot_alt",
				points: measured("-24 0, -22.7 8, -16.6 0, -2.08 8"),
				forecast: forecast("0 8, 6 8"),
			},
		],
		waiting: measured(WAITING),
		demandForecast: demand.map(([h, low, middle, high]) => ({ atMs: nowMs + h * hour, low, middle, high })),
		events: [{ atMs: nowMs - 2.23 * hour, text: "AWS takes a spot machine back, its job moves to Google" }],
	};
}

/** A site of four slots over the last hour, with a gap: the demo's own scale. */
export function demoSmallDemand(nowMs: number): DemandInput {
	const measured = (text: string) => steps(nowMs, MINUTE, text);
	return {
		fromMs: nowMs - 60 * MINUTE,
		nowMs,
		toMs: nowMs,
		ownedGpus: 4,
		owned: { id: "local", label: "local", fill: "owned", points: measured("-60 0, -52 2, -48 4, -30 x, -24 3, -20 4, -6 2") },
		cloud: [{ id: "aws", label: "AWS spot", fill: "spot", points: measured("-60 0, -44 1, -40 3, -34 2, -18 1, -8 0") }],
		waiting: measured("-60 0, -47 3, -40 1, -33 0, -19 2, -12 0"),
	};
}
