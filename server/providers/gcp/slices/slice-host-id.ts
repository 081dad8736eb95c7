/** A host of a TPU slice, as the port identifies it. */
export interface SliceHostPlace {
	zone: string;
	/** Name of the queued resource. */
	name: string;
	acceleratorType: string;
	/** Google's worker number, from 0. */
	worker: number;
}

const FORM = /^([a-z]+(?:-[a-z]+)+\d+-[a-z0-9]+)\/slices\/([a-z][a-z0-9-]*)\/([a-z0-9]+-\d+)\/(\d+)$/;

/** `<zone>/slices/<queued resource>/<accelerator type>`. */
export function sliceId({ zone, name, acceleratorType }: Omit<SliceHostPlace, "worker">): string {
	return `${zone}/slices/${name}/${acceleratorType}`;
}

/** `<zone>/slices/<queued resource>/<accelerator type>/<worker>`. */
export function sliceHostId({ worker, ...slice }: SliceHostPlace): string {
	return `${sliceId(slice)}/${worker}`;
}

/** null if the id is not that of a host of a slice. */
export function readSliceHostId(providerInstanceId: string): SliceHostPlace | null {
	const [, zone, name, acceleratorType, worker] = FORM.exec(providerInstanceId) ?? [];
	if (zone === undefined || name === undefined || acceleratorType === undefined || worker === undefined) return null;
	return { zone, name, acceleratorType, worker: Number(worker) };
}
