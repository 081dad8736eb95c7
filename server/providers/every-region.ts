export type FailedRegion = { region: string; message: string };

/** Regions without duplicates. */
export function mergeRegions(regions: readonly string[], more: readonly string[] = []): string[] {
	return [...new Set([...regions, ...more])];
}

/** Calls every region concurrently. Failing regions are listed, and the results of the others are kept. */
export async function forEachRegion<T>(
	regions: readonly string[],
	ask: (region: string) => Promise<T[]>,
): Promise<{ found: T[]; sweptRegions: string[]; failedRegions: FailedRegion[] }> {
	const answers = await Promise.allSettled(regions.map(ask));
	const found: T[] = [];
	const sweptRegions: string[] = [];
	const failedRegions: FailedRegion[] = [];
	regions.forEach((region, i) => {
		const answer = answers[i];
		if (answer?.status === "fulfilled") {
			found.push(...answer.value);
			sweptRegions.push(region);
		} else {
			failedRegions.push({ region, message: answer?.reason instanceof Error ? answer.reason.message : "no answer" });
		}
	});
	return { found, sweptRegions, failedRegions };
}
