/** The lower Cholesky factor of a symmetric positive definite matrix, row by row. */
export function choleskyOf(matrix: readonly (readonly number[])[]): number[][] {
	const lower: number[][] = [];
	for (const [i, row] of matrix.entries()) {
		const mine: number[] = [];
		for (let j = 0; j <= i; j++) {
			const other = j === i ? mine : (lower[j] ?? []);
			let sum = row[j] ?? 0;
			for (let k = 0; k < j; k++) sum -= (mine[k] ?? 0) * (other[k] ?? 0);
			// Rounding may leave a diagonal element just below 0.
			mine.push(j === i ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (other[j] ?? 1));
		}
		lower.push(mine);
	}
	return lower;
}

/** Solves L x = b. */
export function solveLower(lower: readonly (readonly number[])[], b: readonly number[]): number[] {
	const x: number[] = [];
	for (const [i, row] of lower.entries()) {
		let sum = b[i] ?? 0;
		for (let k = 0; k < i; k++) sum -= (row[k] ?? 0) * (x[k] ?? 0);
		x.push(sum / (row[i] ?? 1));
	}
	return x;
}

export function dot(a: readonly number[], b: readonly number[]): number {
	let sum = 0;
	for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
	return sum;
}
