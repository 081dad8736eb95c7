import { z } from "zod";

const ANSWER_LIMIT_MS = 20_000;
const TOKEN_HEADER = "auth-token";

/** The fields used of a response in the form of Electricity Maps' `/v3/carbon-intensity/history`: the last 24 hours of a zone. */
const historySchema = z.looseObject({
	zone: z.string(),
	history: z.array(z.looseObject({ datetime: z.string(), carbonIntensity: z.number().nullable() })).max(1_000),
});

/**
 * The hourly intensities of a zone in the last 24 hours, g CO2e per kWh, life cycle, as sent by the service: a JSON
 * text in the form of its history.
 * @param api a URL in the form of Electricity Maps', e.g. https://api.electricitymap.org
 * @throws Error with the service's response, without the token
 */
export async function readIntensityHistory(
	api: { url: string; token: string | undefined },
	zone: string,
	signal: AbortSignal = new AbortController().signal,
): Promise<string> {
	const at = `${api.url.replace(/\/+$/, "")}/v3/carbon-intensity/history?zone=${encodeURIComponent(zone)}`;
	const answer = await fetch(at, {
		headers: { accept: "application/json", ...(api.token === undefined ? {} : { [TOKEN_HEADER]: api.token }) },
		redirect: "error",
		signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${new URL(at).host} answered ${answer.status} for the zone ${zone}${HELP[answer.status] ?? ""}`);
	const parsed = historySchema.safeParse(jsonOf(text));
	if (!parsed.success) throw new Error(`${new URL(at).host} did not answer in the form of a history for the zone ${zone}`);
	if (parsed.data.zone !== zone) throw new Error(`${new URL(at).host} answered for ${parsed.data.zone} when asked for ${zone}`);
	return text;
}

const HELP: Record<number, string> = {
	401: ": see SPILLWAY_CARBON_TOKEN",
	403: ": the token has no access to this zone",
	404: ": unknown zone",
	429: ": too many requests",
};

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
