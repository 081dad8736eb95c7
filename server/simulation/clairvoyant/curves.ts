/** One job as the bound sees it: hours from the trace's start, GPU-hours of work. */
export interface BoundJob {
	releaseH: number;
	/** Length of its uninterrupted run. */
	lengthH: number;
	gpus: number;
	/** When it must be done; null: no strict deadline. */
	deadlineH: number | null;
}

/** Work of a set of jobs at the bounds of the time buckets, GPU-hours. */
export interface WorkCurves {
	/** Work done by each bound if every job ran from its release on. No schedule can be ahead of it. */
	earliest: Float64Array;
	/** Work that must be done by each bound to meet every deadline. No schedule may be behind it. */
	latest: Float64Array;
	/** Area in each bucket between the earliest work at the bucket's end and the earliest work, GPU-hours × hours. */
	gap: Float64Array;
}

/** @param boundsH ascending; every job's release lies between the first and the last. */
export function curvesOf(jobs: readonly BoundJob[], boundsH: readonly number[]): WorkCurves {
	const earliest = new Float64Array(boundsH.length);
	const latest = new Float64Array(boundsH.length);
	const area = new Float64Array(boundsH.length);
	for (const job of jobs) {
		addRamp(earliest, boundsH, job.releaseH, job.lengthH, job.gpus);
		addRampArea(area, boundsH, job.releaseH, job.lengthH, job.gpus);
		if (job.deadlineH !== null) addRamp(latest, boundsH, job.deadlineH - job.lengthH, job.lengthH, job.gpus);
	}
	const gap = new Float64Array(Math.max(0, boundsH.length - 1));
	for (let k = 0; k < gap.length; k++) {
		const width = at(boundsH, k + 1) - at(boundsH, k);
		gap[k] = Math.max(0, width * at(earliest, k + 1) - (at(area, k + 1) - at(area, k)));
	}
	return { earliest, latest, gap };
}

/** Adds min(gpus × length, gpus × (t − start)⁺) at every bound t. */
function addRamp(curve: Float64Array, boundsH: readonly number[], startH: number, lengthH: number, gpus: number): void {
	for (let k = firstAfter(boundsH, startH); k < boundsH.length; k++) {
		curve[k] = at(curve, k) + gpus * Math.min(lengthH, at(boundsH, k) - startH);
	}
}

/** Adds the integral of that ramp from the first bound to every bound. */
function addRampArea(area: Float64Array, boundsH: readonly number[], startH: number, lengthH: number, gpus: number): void {
	for (let k = firstAfter(boundsH, startH); k < boundsH.length; k++) {
		const ran = at(boundsH, k) - startH;
		const rising = Math.min(ran, lengthH);
		area[k] = at(area, k) + gpus * ((rising * rising) / 2 + lengthH * Math.max(0, ran - lengthH));
	}
}

function firstAfter(boundsH: readonly number[], timeH: number): number {
	let low = 0;
	for (let high = boundsH.length; low < high; ) {
		const middle = (low + high) >> 1;
		if (at(boundsH, middle) <= timeH) low = middle + 1;
		else high = middle;
	}
	return low;
}

function at(values: ArrayLike<number>, index: number): number {
	return values[index] ?? 0;
}
