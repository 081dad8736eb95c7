/** Traffic counters for tests: bodies in both directions. */
export interface ObjectStoreCounts {
	bytesIn: number;
	bytesOut: number;
	puts: number;
	denied: number;
}
