/** The conversations of the demo agents. */

export const conversations: [string, string][] = [
  [
    'Where is my order 5512?',
    'Order 5512 left our warehouse this morning and should reach you on Wednesday.',
  ],
  [
    'Can I change the address?',
    'Yes, until the parcel is sorted tonight. Which address shall it be?',
  ],
  [
    'The lamp arrived broken.',
    'I am sorry. A new lamp is on its way, and the courier takes the broken one back.',
  ],
  ['How long may I return a parcel?', 'You have 30 days from the day on which it arrives.'],
  [
    'Do you ship to Iceland?',
    'We do: it takes five to eight days, and there are no customs to pay.',
  ],
  [
    'I was charged twice for order 4471.',
    'One of the two charges is only a reservation of your bank. It disappears within three days.',
  ],
];

/** The pieces of the reply in the screenshots. */
export const reply = [
  'Order 5512 left our warehouse this morning at 8:40 and is with the courier now.\n\n',
  'It should reach you on Wednesday between 10 and 12. ',
  'If you are not at home, the courier leaves it at the parcel shop in Mill Lane, ',
  'which is open until 20:00.\n\nShall I send you the tracking link?',
];
