export function poolIdOf(product: string, gpusPerNode: number): string {
	return `${slug(product)}x${gpusPerNode}`;
}

function slug(text: string): string {
	return text
		.toLowerCase()
		.replaceAll(/[^a-z0-9.]+/g, "-")
		.replaceAll(/^-+|-+$/g, "");
}
