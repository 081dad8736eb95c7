import clsx, { type ClassValue } from "clsx";

/** Joins class names without resolving conflicts: pass layout classes to a component, never a second color or size. */
export function cn(...values: ClassValue[]): string {
	return clsx(values);
}
