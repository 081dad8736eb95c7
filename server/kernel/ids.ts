/** Every id is `<prefix>_<22..26 characters>`, sortable by creation time within its kind. */
export type IdPrefix =
	| ("job" | "att" | "ins" | "hold" | "chg" | "dec" | "usr" | "tok" | "evt" | "off" | "ckp" | "aud" | "alc" | "cyc")
	| ("rate" | "bill" | "alrt" | "chan" | "dlv" | "prop" | "stmt" | "sig" | "note" | "ntc")
	| (
			| "pub"
			| "appr"
			| "btst"
			| "shdw"
			| "adp"
			| "cpy"
			| "imp"
			| "idn"
			| "dvl"
			| "pipe"
			| "plan"
			| "trig"
			| "fire"
			| "grp"
			| "sto"
			| "rdl"
			| "trf"
			| "view"
			| "tmpl"
			| "upl"
			| "art"
	  );

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

/** A new id: 10 characters of time, 16 of randomness (a ULID in lower case behind a prefix). */
export function newId(prefix: IdPrefix, nowMs: number): string {
	let time = "";
	let t = Math.floor(nowMs);
	for (let i = 0; i < 10; i++) {
		time = CROCKFORD[t % 32] + time;
		t = Math.floor(t / 32);
	}
	let tail = "";
	for (const byte of crypto.getRandomValues(new Uint8Array(16))) tail += CROCKFORD[byte % 32];
	return `${prefix}_${time}${tail}`;
}

/**
 * The id of attempt `n` of a job. Derived, so that writing the same intent twice violates its own primary key. The
 * number has three digits to keep text order.
 */
export function attemptIdOf(jobId: string, n: number): string {
	return `att_${jobId.slice(4)}_${String(n).padStart(3, "0")}`;
}

/** The id of member `rank` of the instances of an attempt; it doubles as the provider's idempotency token (max 64 characters). */
export function instanceIdOf(jobId: string, attemptNo: number, rank: number): string {
	return `ins_${jobId.slice(4)}_${String(attemptNo).padStart(3, "0")}_${rank}`;
}

/** The id of another member of the same attempt. */
export function peerIdOf(instanceId: string, rank: number): string {
	return instanceId.replace(/_\d+$/, `_${rank}`);
}

/** The job of an instance id; null for one that `instanceIdOf` did not create. */
export function jobIdOf(instanceId: string): string | null {
	const job = /^ins_(.+)_\d{3,}_\d+$/.exec(instanceId)?.[1];
	return job === undefined ? null : `job_${job}`;
}

/**
 * The id of the artifact that attempt `attemptNo` uploads for output number `index` of its job. Derived, so that an upload can be
 * repeated.
 */
export function artifactIdOf(jobId: string, attemptNo: number, index: number): string {
	return `art_${jobId.slice(4)}_${String(attemptNo).padStart(3, "0")}_${String(index).padStart(2, "0")}`;
}
