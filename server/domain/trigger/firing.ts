/** What a firing observed. Shown with it, and available to parameters as `${{ firing.NAME }}`. */
export interface FiringView {
	/** ISO 8601, UTC: the scheduled time, or when the condition was met. */
	time: string;
	/** Number and bytes of new objects; absent for other kinds. */
	files?: number;
	bytes?: number;
	uri?: string;
	/** Up to 100 of the objects. */
	objects?: string[];
	/** Id, type and source of a CloudEvent. */
	event?: { id: string; type: string; source: string; subject?: string };
	/** The pipeline that ended. */
	pipeline?: { id: string; state: string };
	/** Number of scheduled times missed before this one. */
	missed?: number;
}

/** Values available to parameters, by name. */
export function firingValues(saw: FiringView): Map<string, string | number> {
	const values: [string, string | number | undefined][] = [
		["firing.time", saw.time],
		["firing.date", saw.time.slice(0, 10)],
		["firing.month", saw.time.slice(0, 7)],
		["firing.files", saw.files],
		["firing.bytes", saw.bytes],
		["firing.uri", saw.uri],
		["firing.event", saw.event?.id],
		["firing.subject", saw.event?.subject],
		["firing.pipeline", saw.pipeline?.id],
	];
	return new Map(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}
