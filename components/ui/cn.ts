import clsx, { type ClassValue } from "clsx";

/** Joins class names. It does not resolve conflicts: pass layout classes to a component, never a second colour or size. */
export function cn(...values: ClassValue[]): string {
	return clsx(values);
}
