/** Pages of a list, each with the total number of matching items. */

export interface PageRequest {
  limit: number;
  offset: number;
}

export interface Page<Item> {
  items: Item[];
  total: number;
}
